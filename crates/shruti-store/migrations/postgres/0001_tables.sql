-- Tables of a store, equal to those of SQLite after its eleventh step. Texts are compared by their bytes, as in SQLite.
-- Times are milliseconds since 1970. Secrets are never stored: a `hash` is the SHA-256 of a secret.

-- Accounts that own keys, and their sign-in data.
CREATE TABLE accounts (
    id            TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    email         TEXT COLLATE "C" NOT NULL UNIQUE, -- in normalized form: trimmed, lower case
    password      TEXT COLLATE "C",                 -- Argon2id with salt and parameters, as a PHC string; NULL if no password is set
    created_ms    BIGINT  NOT NULL,
    is_operator   BOOLEAN NOT NULL, -- operators need no allowance
    access_ms     BIGINT,           -- time at which its keys became usable; NULL until a promo code is redeemed
    locked_ms     BIGINT,           -- time at which the operator locked it; NULL if not locked
    monthly_chars BIGINT  NOT NULL CHECK (monthly_chars >= 0), -- the monthly allowance, in characters
    spent_month   BIGINT            -- the month whose allowance was found exhausted: 12 * year + (month - 1)
);

-- API keys. `prefix` is the beginning of a key, which identifies it.
CREATE TABLE keys (
    prefix      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    hash        BYTEA  NOT NULL CHECK (length(hash) = 32),
    name        TEXT COLLATE "C" NOT NULL,
    scopes      TEXT COLLATE "C" NOT NULL, -- separated by spaces
    created_ms  BIGINT NOT NULL,
    expires_ms  BIGINT,
    revoked_ms  BIGINT,
    rate        DOUBLE PRECISION CHECK (rate > 0), -- requests per second; NULL for no limit, as in the next two columns
    burst       BIGINT CHECK (burst > 0),
    streams     BIGINT CHECK (streams > 0),
    revision    BIGINT NOT NULL, -- the value of key_revision at the row's last change
    account     TEXT COLLATE "C" REFERENCES accounts (id), -- NULL: a key of the operator, without an allowance
    monthly_cap BIGINT CHECK (monthly_cap > 0), -- characters per month; NULL for no cap
    spent_month BIGINT, -- the month whose cap was found exhausted
    purpose     TEXT COLLATE "C" NOT NULL CHECK (purpose IN ('api', 'playground'))
);

CREATE INDEX keys_by_revision ON keys (revision);
CREATE INDEX keys_by_account ON keys (account, created_ms);
-- One key per account, and one for all visitors, which belongs to no account.
CREATE UNIQUE INDEX playground_keys ON keys (coalesce(account, '')) WHERE purpose = 'playground';

-- Time of the last recorded use of a key. It is in a separate table because it changes often and servers need no notification.
CREATE TABLE key_uses (
    prefix       TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES keys (prefix),
    last_used_ms BIGINT NOT NULL
);

-- One row that counts changes of keys, so that servers can query the changes since their last query. A transaction that
-- changes a key locks this row until it ends, so that revisions become visible in order.
CREATE TABLE key_revision (
    only_row BIGINT NOT NULL PRIMARY KEY CHECK (only_row = 1),
    value    BIGINT NOT NULL
);

INSERT INTO key_revision (only_row, value) VALUES (1, 0);

-- Origins of web pages that may use a key, one row each.
CREATE TABLE key_origins (
    prefix TEXT COLLATE "C" NOT NULL REFERENCES keys (prefix),
    origin TEXT COLLATE "C" NOT NULL, -- in the form that browsers send: scheme://host[:port]
    PRIMARY KEY (prefix, origin)
);

CREATE INDEX key_origins_by_origin ON key_origins (origin);

-- Unused single-use tokens.
CREATE TABLE tokens (
    hash       BYTEA  NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    prefix     TEXT COLLATE "C" NOT NULL REFERENCES keys (prefix), -- the key that created it
    expires_ms BIGINT NOT NULL
);

CREATE INDEX tokens_by_key ON tokens (prefix, expires_ms);
CREATE INDEX tokens_by_expiry ON tokens (expires_ms);

CREATE TABLE sessions (
    hash             BYTEA  NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    account          TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    created_ms       BIGINT NOT NULL,
    used_ms          BIGINT NOT NULL,  -- its last use, with a precision of a minute
    ends_ms          BIGINT NOT NULL,  -- its end, regardless of its use
    may_set_password BOOLEAN NOT NULL  -- the session was created with a link
);

CREATE INDEX sessions_by_account ON sessions (account, created_ms);

-- Single-use sign-in links, one per account.
CREATE TABLE sign_in_links (
    account    TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES accounts (id),
    hash       BYTEA  NOT NULL UNIQUE CHECK (length(hash) = 32),
    expires_ms BIGINT NOT NULL
);

-- Number of consecutive wrong passwords per SHA-256 of an e-mail address, whether or not an account has the address.
CREATE TABLE sign_in_failures (
    email_hash       BYTEA   NOT NULL PRIMARY KEY CHECK (length(email_hash) = 32),
    failures         BIGINT  NOT NULL,
    last_ms          BIGINT  NOT NULL,
    blocked_until_ms BIGINT  NOT NULL,
    has_account      BOOLEAN NOT NULL
);

CREATE INDEX sign_in_failures_by_time ON sign_in_failures (has_account, last_ms);

-- Audit log: actors, events, times and outcomes. Refusals of one kind on one day share a row.
CREATE TABLE audit (
    id      BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    at_ms   BIGINT NOT NULL,
    actor   TEXT COLLATE "C" NOT NULL, -- 'operator', 'visitor' or the id of an account
    event   TEXT COLLATE "C" NOT NULL,
    account TEXT COLLATE "C", -- the affected account
    subject TEXT COLLATE "C", -- the prefix of a key, or the beginning of a promo code
    outcome TEXT COLLATE "C" NOT NULL,
    times   BIGINT NOT NULL
);

CREATE INDEX audit_by_account ON audit (account, event, at_ms);
CREATE INDEX audit_by_time ON audit (at_ms);

-- Promo codes, which grant access and a monthly allowance: `beginning` is the first four letters, which identify a code.
CREATE TABLE promo_codes (
    hash        BYTEA  NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    beginning   TEXT COLLATE "C" NOT NULL CHECK (length(beginning) = 4),
    chars       BIGINT NOT NULL CHECK (chars > 0), -- characters that it adds per month
    uses        BIGINT NOT NULL CHECK (uses > 0),
    used        BIGINT NOT NULL DEFAULT 0 CHECK (used BETWEEN 0 AND uses),
    created_ms  BIGINT NOT NULL,
    expires_ms  BIGINT,
    disabled_ms BIGINT
);

CREATE INDEX promo_codes_by_beginning ON promo_codes (beginning);

-- An account can redeem a code only once.
CREATE TABLE promo_redemptions (
    account     TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    hash        BYTEA  NOT NULL REFERENCES promo_codes (hash),
    redeemed_ms BIGINT NOT NULL,
    PRIMARY KEY (account, hash)
);

-- Attempts to redeem unknown codes within the last hour.
CREATE TABLE promo_tries (
    id      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    at_ms   BIGINT NOT NULL
);

CREATE INDEX promo_tries_by_account ON promo_tries (account, at_ms);
CREATE INDEX promo_tries_by_time ON promo_tries (at_ms);

-- Characters drawn from an account's allowance in a month: used, or leased to a server.
CREATE TABLE allowance_drawn (
    account TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    month   BIGINT NOT NULL,
    drawn   BIGINT NOT NULL,
    PRIMARY KEY (account, month)
);

-- Characters drawn from the cap of a key in a month.
CREATE TABLE cap_drawn (
    prefix TEXT COLLATE "C" NOT NULL REFERENCES keys (prefix),
    month  BIGINT NOT NULL,
    drawn  BIGINT NOT NULL,
    PRIMARY KEY (prefix, month)
);

-- Leases: characters that a server has drawn. Unused characters are returned when the lease ends.
CREATE TABLE leases (
    id         BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    prefix     TEXT COLLATE "C" NOT NULL REFERENCES keys (prefix),
    account    TEXT COLLATE "C" REFERENCES accounts (id), -- NULL if the characters are drawn only from a cap
    month      BIGINT NOT NULL,
    chars      BIGINT NOT NULL,
    used       BIGINT NOT NULL DEFAULT 0, -- reported use
    expires_ms BIGINT NOT NULL
);

CREATE INDEX leases_by_expiry ON leases (expires_ms);
CREATE INDEX leases_by_account ON leases (account, month);

-- Usage by UTC day (days since 1970).
CREATE TABLE usage (
    prefix   TEXT COLLATE "C" NOT NULL REFERENCES keys (prefix),
    day      BIGINT NOT NULL,
    voice    TEXT COLLATE "C" NOT NULL,
    language TEXT COLLATE "C" NOT NULL,
    api      TEXT COLLATE "C" NOT NULL, -- 'unknown' if it was not recorded
    chars    BIGINT NOT NULL, -- characters whose audio was sent
    requests BIGINT NOT NULL,
    audio_ms BIGINT NOT NULL,
    PRIMARY KEY (prefix, day, voice, language, api)
);

CREATE INDEX usage_by_day ON usage (day);

-- The last usage report of each server process, so that a report that is sent twice counts once.
CREATE TABLE usage_reports (
    server      BYTEA  NOT NULL PRIMARY KEY CHECK (length(server) = 16),
    number      BIGINT NOT NULL,
    reported_ms BIGINT NOT NULL
);

-- Lexicons of accounts: readings of words for all requests with keys of the account.
CREATE TABLE lexicons (
    account    TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES accounts (id),
    version    BIGINT  NOT NULL, -- number of changes; it never decreases, because an emptied lexicon keeps its row
    changed_ms BIGINT  NOT NULL,
    is_empty   BOOLEAN NOT NULL,
    toml       TEXT COLLATE "C" NOT NULL
);
