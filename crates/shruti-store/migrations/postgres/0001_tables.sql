-- The tables of a store, as those of SQLite are after its eleventh step. Texts are compared by their bytes, as there.
-- Times are milliseconds since 1970. No secret is stored as it is: a `hash` is the SHA-256 of one.

-- People who hold keys, and how they sign in.
CREATE TABLE accounts (
    id            TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    email         TEXT COLLATE "C" NOT NULL UNIQUE, -- in the one form that is stored: trimmed, lower case
    password      TEXT COLLATE "C",                 -- Argon2id with salt and parameters, as a PHC string; NULL while none is chosen
    created_ms    BIGINT  NOT NULL,
    is_operator   BOOLEAN NOT NULL, -- such an account needs no allowance
    access_ms     BIGINT,           -- since when its keys make speech; NULL until a promo code is redeemed
    locked_ms     BIGINT,           -- since when the operator keeps it out
    monthly_chars BIGINT  NOT NULL CHECK (monthly_chars >= 0), -- the allowance of each month, in characters
    spent_month   BIGINT            -- the month whose allowance was found spent: 12 * year + (month - 1)
);

-- API keys. `prefix` is the beginning of a key, which names it.
CREATE TABLE keys (
    prefix      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    hash        BYTEA  NOT NULL CHECK (length(hash) = 32),
    name        TEXT COLLATE "C" NOT NULL,
    scopes      TEXT COLLATE "C" NOT NULL, -- separated by spaces
    created_ms  BIGINT NOT NULL,
    expires_ms  BIGINT,
    revoked_ms  BIGINT,
    rate        DOUBLE PRECISION CHECK (rate > 0), -- requests a second; NULL for no limit, as in the next two
    burst       BIGINT CHECK (burst > 0),
    streams     BIGINT CHECK (streams > 0),
    revision    BIGINT NOT NULL, -- the value of key_revision at the row's last change
    account     TEXT COLLATE "C" REFERENCES accounts (id), -- NULL: a key of the operator's, without an allowance
    monthly_cap BIGINT CHECK (monthly_cap > 0), -- characters a month; NULL for no cap
    spent_month BIGINT, -- the month in which its cap was found reached
    purpose     TEXT COLLATE "C" NOT NULL CHECK (purpose IN ('api', 'playground'))
);

CREATE INDEX keys_by_revision ON keys (revision);
CREATE INDEX keys_by_account ON keys (account, created_ms);
-- One an account, and one for everyone, which is of no account.
CREATE UNIQUE INDEX playground_keys ON keys (coalesce(account, '')) WHERE purpose = 'playground';

-- When the usage of a key was last written down: apart, because it changes all the time, and no server need be told.
CREATE TABLE key_uses (
    prefix       TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES keys (prefix),
    last_used_ms BIGINT NOT NULL
);

-- One row that counts changes of keys, so that servers can ask what is new since they last looked. Who changes a key
-- holds it to the end, so that revisions are seen in their order.
CREATE TABLE key_revision (
    only_row BIGINT NOT NULL PRIMARY KEY CHECK (only_row = 1),
    value    BIGINT NOT NULL
);

INSERT INTO key_revision (only_row, value) VALUES (1, 0);

-- Web pages that may use a key, one row each.
CREATE TABLE key_origins (
    prefix TEXT COLLATE "C" NOT NULL REFERENCES keys (prefix),
    origin TEXT COLLATE "C" NOT NULL, -- as browsers write it: scheme://host[:port]
    PRIMARY KEY (prefix, origin)
);

CREATE INDEX key_origins_by_origin ON key_origins (origin);

-- Single-use tokens that are still unused.
CREATE TABLE tokens (
    hash       BYTEA  NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    prefix     TEXT COLLATE "C" NOT NULL REFERENCES keys (prefix), -- the key that answers for it
    expires_ms BIGINT NOT NULL
);

CREATE INDEX tokens_by_key ON tokens (prefix, expires_ms);
CREATE INDEX tokens_by_expiry ON tokens (expires_ms);

CREATE TABLE sessions (
    hash             BYTEA  NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    account          TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    created_ms       BIGINT NOT NULL,
    used_ms          BIGINT NOT NULL,  -- its last use, to the minute
    ends_ms          BIGINT NOT NULL,  -- its end however much it is used
    may_set_password BOOLEAN NOT NULL  -- it came from a link
);

CREATE INDEX sessions_by_account ON sessions (account, created_ms);

-- Links that sign in once, one an account.
CREATE TABLE sign_in_links (
    account    TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES accounts (id),
    hash       BYTEA  NOT NULL UNIQUE CHECK (length(hash) = 32),
    expires_ms BIGINT NOT NULL
);

-- Wrong passwords in a row, by the SHA-256 of the e-mail address, whether or not an account has it.
CREATE TABLE sign_in_failures (
    email_hash       BYTEA   NOT NULL PRIMARY KEY CHECK (length(email_hash) = 32),
    failures         BIGINT  NOT NULL,
    last_ms          BIGINT  NOT NULL,
    blocked_until_ms BIGINT  NOT NULL,
    has_account      BOOLEAN NOT NULL
);

CREATE INDEX sign_in_failures_by_time ON sign_in_failures (has_account, last_ms);

-- Who did what, when, and what came of it. Refusals of one kind on one day share a row.
CREATE TABLE audit (
    id      BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    at_ms   BIGINT NOT NULL,
    actor   TEXT COLLATE "C" NOT NULL, -- 'operator', 'visitor' or the id of an account
    event   TEXT COLLATE "C" NOT NULL,
    account TEXT COLLATE "C", -- the account it concerns
    subject TEXT COLLATE "C", -- a key's prefix, the beginning of a promo code
    outcome TEXT COLLATE "C" NOT NULL,
    times   BIGINT NOT NULL
);

CREATE INDEX audit_by_account ON audit (account, event, at_ms);
CREATE INDEX audit_by_time ON audit (at_ms);

-- Codes that give access and a monthly allowance: `beginning` is the first four letters, by which people call one.
CREATE TABLE promo_codes (
    hash        BYTEA  NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    beginning   TEXT COLLATE "C" NOT NULL CHECK (length(beginning) = 4),
    chars       BIGINT NOT NULL CHECK (chars > 0), -- characters a month that it adds
    uses        BIGINT NOT NULL CHECK (uses > 0),
    used        BIGINT NOT NULL DEFAULT 0 CHECK (used BETWEEN 0 AND uses),
    created_ms  BIGINT NOT NULL,
    expires_ms  BIGINT,
    disabled_ms BIGINT
);

CREATE INDEX promo_codes_by_beginning ON promo_codes (beginning);

-- A code counts once an account.
CREATE TABLE promo_redemptions (
    account     TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    hash        BYTEA  NOT NULL REFERENCES promo_codes (hash),
    redeemed_ms BIGINT NOT NULL,
    PRIMARY KEY (account, hash)
);

-- Codes that do not exist, tried within the last hour.
CREATE TABLE promo_tries (
    id      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    at_ms   BIGINT NOT NULL
);

CREATE INDEX promo_tries_by_account ON promo_tries (account, at_ms);
CREATE INDEX promo_tries_by_time ON promo_tries (at_ms);

-- Characters drawn from an account's allowance in a month: used, or lent to a server.
CREATE TABLE allowance_drawn (
    account TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    month   BIGINT NOT NULL,
    drawn   BIGINT NOT NULL,
    PRIMARY KEY (account, month)
);

-- The same against the cap of a key.
CREATE TABLE cap_drawn (
    prefix TEXT COLLATE "C" NOT NULL REFERENCES keys (prefix),
    month  BIGINT NOT NULL,
    drawn  BIGINT NOT NULL,
    PRIMARY KEY (prefix, month)
);

-- Characters that a server holds. What it has not used by the end comes back.
CREATE TABLE leases (
    id         BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    prefix     TEXT COLLATE "C" NOT NULL REFERENCES keys (prefix),
    account    TEXT COLLATE "C" REFERENCES accounts (id), -- NULL where a cap alone is drawn on
    month      BIGINT NOT NULL,
    chars      BIGINT NOT NULL,
    used       BIGINT NOT NULL DEFAULT 0, -- as far as it was reported
    expires_ms BIGINT NOT NULL
);

CREATE INDEX leases_by_expiry ON leases (expires_ms);
CREATE INDEX leases_by_account ON leases (account, month);

-- What was spoken, by day of UTC (days since 1970).
CREATE TABLE usage (
    prefix   TEXT COLLATE "C" NOT NULL REFERENCES keys (prefix),
    day      BIGINT NOT NULL,
    voice    TEXT COLLATE "C" NOT NULL,
    language TEXT COLLATE "C" NOT NULL,
    api      TEXT COLLATE "C" NOT NULL, -- 'unknown' where it was not noted
    chars    BIGINT NOT NULL, -- whose audio was sent
    requests BIGINT NOT NULL,
    audio_ms BIGINT NOT NULL,
    PRIMARY KEY (prefix, day, voice, language, api)
);

CREATE INDEX usage_by_day ON usage (day);

-- The last report of usage of each server process, so that one that was sent twice counts once.
CREATE TABLE usage_reports (
    server      BYTEA  NOT NULL PRIMARY KEY CHECK (length(server) = 16),
    number      BIGINT NOT NULL,
    reported_ms BIGINT NOT NULL
);

-- Readings of words that the holder of an account gives, for all requests by its keys.
CREATE TABLE lexicons (
    account    TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES accounts (id),
    version    BIGINT  NOT NULL, -- counts the changes; never goes back, as an emptied lexicon keeps its row
    changed_ms BIGINT  NOT NULL,
    is_empty   BOOLEAN NOT NULL,
    toml       TEXT COLLATE "C" NOT NULL
);
