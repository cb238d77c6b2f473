-- Promo codes, which grant access and a monthly allowance. They are stored in plain text, because the operator lists them.
CREATE TABLE promo_codes (
    code        TEXT    NOT NULL PRIMARY KEY, -- capital letters and digits, without dashes
    chars       INTEGER NOT NULL CHECK (chars > 0), -- characters that it adds per month
    uses        INTEGER NOT NULL CHECK (uses > 0),
    used        INTEGER NOT NULL DEFAULT 0 CHECK (used BETWEEN 0 AND uses),
    created_ms  INTEGER NOT NULL,
    expires_ms  INTEGER,
    disabled_ms INTEGER
) STRICT, WITHOUT ROWID;

-- An account can redeem a code only once.
CREATE TABLE promo_redemptions (
    account     TEXT    NOT NULL REFERENCES accounts (id),
    code        TEXT    NOT NULL REFERENCES promo_codes (code),
    redeemed_ms INTEGER NOT NULL,
    PRIMARY KEY (account, code)
) STRICT, WITHOUT ROWID;

-- Attempts to redeem unknown codes within the last hour.
CREATE TABLE promo_tries (
    account TEXT    NOT NULL REFERENCES accounts (id),
    at_ms   INTEGER NOT NULL
) STRICT;

CREATE INDEX promo_tries_by_account ON promo_tries (account, at_ms);
CREATE INDEX promo_tries_by_time ON promo_tries (at_ms);
