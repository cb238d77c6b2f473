-- People who hold keys, and how they sign in.
CREATE TABLE accounts (
    id            TEXT    NOT NULL PRIMARY KEY,
    email         TEXT    NOT NULL UNIQUE, -- in the one form that is stored: trimmed, lower case
    password      TEXT,                    -- Argon2id with salt and parameters, as a PHC string; NULL while none is chosen
    created_ms    INTEGER NOT NULL,        -- milliseconds since 1970, as all times
    is_operator   INTEGER NOT NULL CHECK (is_operator IN (0, 1)), -- such an account needs no allowance
    access_ms     INTEGER,                 -- since when its keys make speech; NULL until a promo code is redeemed
    locked_ms     INTEGER,                 -- since when the operator keeps it out
    monthly_chars INTEGER NOT NULL CHECK (monthly_chars >= 0), -- the allowance of each month, in characters
    spent_month   INTEGER                  -- the month whose allowance was found spent: 12 * year + (month - 1)
) STRICT, WITHOUT ROWID;

-- A session itself is never stored: `hash` is its SHA-256.
CREATE TABLE sessions (
    hash             BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    account          TEXT    NOT NULL REFERENCES accounts (id),
    created_ms       INTEGER NOT NULL,
    used_ms          INTEGER NOT NULL, -- its last use, to the minute
    ends_ms          INTEGER NOT NULL, -- its end however much it is used
    may_set_password INTEGER NOT NULL CHECK (may_set_password IN (0, 1)) -- it came from a link
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_account ON sessions (account, created_ms);

-- Links that sign in once, one an account.
CREATE TABLE sign_in_links (
    account    TEXT    NOT NULL PRIMARY KEY REFERENCES accounts (id),
    hash       BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),
    expires_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Wrong passwords in a row, by the SHA-256 of the e-mail address, whether or not an account has it.
CREATE TABLE sign_in_failures (
    email_hash       BLOB    NOT NULL PRIMARY KEY CHECK (length(email_hash) = 32),
    failures         INTEGER NOT NULL,
    last_ms          INTEGER NOT NULL,
    blocked_until_ms INTEGER NOT NULL,
    has_account      INTEGER NOT NULL CHECK (has_account IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE INDEX sign_in_failures_by_time ON sign_in_failures (has_account, last_ms);

-- Who did what, when, and what came of it. Refusals of one kind on one day share a row.
CREATE TABLE audit (
    id      INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at_ms   INTEGER NOT NULL,
    actor   TEXT    NOT NULL, -- 'operator', 'visitor' or the id of an account
    event   TEXT    NOT NULL,
    account TEXT,             -- the account it concerns
    subject TEXT,             -- a key's prefix, the beginning of a promo code
    outcome TEXT    NOT NULL,
    times   INTEGER NOT NULL
) STRICT;

CREATE INDEX audit_by_account ON audit (account, event, at_ms);
CREATE INDEX audit_by_time ON audit (at_ms);

ALTER TABLE keys ADD COLUMN account TEXT REFERENCES accounts (id); -- NULL: a key of the operator's, without an allowance
ALTER TABLE keys ADD COLUMN monthly_cap INTEGER CHECK (monthly_cap > 0); -- characters a month; NULL for no cap
ALTER TABLE keys ADD COLUMN spent_month INTEGER; -- the month in which its cap was found reached
ALTER TABLE keys ADD COLUMN last_used_ms INTEGER;

CREATE INDEX keys_by_account ON keys (account, created_ms);
