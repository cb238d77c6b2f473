-- Codes that give access and a monthly allowance. They are stored as they are: the operator lists them.
CREATE TABLE promo_codes (
    code        TEXT    NOT NULL PRIMARY KEY, -- capitals and digits, without dashes
    chars       INTEGER NOT NULL CHECK (chars > 0), -- characters a month that it adds
    uses        INTEGER NOT NULL CHECK (uses > 0),
    used        INTEGER NOT NULL DEFAULT 0 CHECK (used BETWEEN 0 AND uses),
    created_ms  INTEGER NOT NULL,
    expires_ms  INTEGER,
    disabled_ms INTEGER
) STRICT, WITHOUT ROWID;

-- A code counts once an account.
CREATE TABLE promo_redemptions (
    account     TEXT    NOT NULL REFERENCES accounts (id),
    code        TEXT    NOT NULL REFERENCES promo_codes (code),
    redeemed_ms INTEGER NOT NULL,
    PRIMARY KEY (account, code)
) STRICT, WITHOUT ROWID;

-- Codes that do not exist, tried within the last hour.
CREATE TABLE promo_tries (
    account TEXT    NOT NULL REFERENCES accounts (id),
    at_ms   INTEGER NOT NULL
) STRICT;

CREATE INDEX promo_tries_by_account ON promo_tries (account, at_ms);
CREATE INDEX promo_tries_by_time ON promo_tries (at_ms);
