-- Accounts that own keys, and their sign-in data.
CREATE TABLE accounts (
    id            TEXT    NOT NULL PRIMARY KEY,
    email         TEXT    NOT NULL UNIQUE, -- in normalized form: trimmed, lower case
    password      TEXT,                    -- Argon2id with salt and parameters, as a PHC string; NULL if no password is set
    created_ms    INTEGER NOT NULL,        -- milliseconds since 1970, like all times
    is_operator   INTEGER NOT NULL CHECK (is_operator IN (0, 1)), -- operators need no allowance
    access_ms     INTEGER,                 -- time at which its keys became usable; NULL until a promo code is redeemed
    locked_ms     INTEGER,                 -- time at which the operator locked it; NULL if not locked
    monthly_chars INTEGER NOT NULL CHECK (monthly_chars >= 0), -- the monthly allowance, in characters
    spent_month   INTEGER                  -- the month whose allowance was found exhausted: 12 * year + (month - 1)
) STRICT, WITHOUT ROWID;

-- A session itself is never stored: `hash` is its SHA-256.
CREATE TABLE sessions (
    hash             BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    account          TEXT    NOT NULL REFERENCES accounts (id),
    created_ms       INTEGER NOT NULL,
    used_ms          INTEGER NOT NULL, -- its last use, with a precision of a minute
    ends_ms          INTEGER NOT NULL, -- its end, regardless of its use
    may_set_password INTEGER NOT NULL CHECK (may_set_password IN (0, 1)) -- the session was created with a link
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_account ON sessions (account, created_ms);

-- Single-use sign-in links, one per account.
CREATE TABLE sign_in_links (
    account    TEXT    NOT NULL PRIMARY KEY REFERENCES accounts (id),
    hash       BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),
    expires_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Number of consecutive wrong passwords per SHA-256 of an e-mail address, whether or not an account has the address.
CREATE TABLE sign_in_failures (
    email_hash       BLOB    NOT NULL PRIMARY KEY CHECK (length(email_hash) = 32),
    failures         INTEGER NOT NULL,
    last_ms          INTEGER NOT NULL,
    blocked_until_ms INTEGER NOT NULL,
    has_account      INTEGER NOT NULL CHECK (has_account IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE INDEX sign_in_failures_by_time ON sign_in_failures (has_account, last_ms);

-- Audit log: actors, events, times and outcomes. Refusals of one kind on one day share a row.
CREATE TABLE audit (
    id      INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at_ms   INTEGER NOT NULL,
    actor   TEXT    NOT NULL, -- 'operator', 'visitor' or the id of an account
    event   TEXT    NOT NULL,
    account TEXT,             -- the affected account
    subject TEXT,             -- the prefix of a key, or the beginning of a promo code
    outcome TEXT    NOT NULL,
    times   INTEGER NOT NULL
) STRICT;

CREATE INDEX audit_by_account ON audit (account, event, at_ms);
CREATE INDEX audit_by_time ON audit (at_ms);

ALTER TABLE keys ADD COLUMN account TEXT REFERENCES accounts (id); -- NULL: a key of the operator, without an allowance
ALTER TABLE keys ADD COLUMN monthly_cap INTEGER CHECK (monthly_cap > 0); -- characters per month; NULL for no cap
ALTER TABLE keys ADD COLUMN spent_month INTEGER; -- the month whose cap was found exhausted
ALTER TABLE keys ADD COLUMN last_used_ms INTEGER;

CREATE INDEX keys_by_account ON keys (account, created_ms);
