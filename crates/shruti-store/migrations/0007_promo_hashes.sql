-- A code itself is no longer stored: `hash` is the SHA-256 of its sixteen capital letters and digits, and `beginning` its
-- first four, which identify it for the operator and in the audit log.
CREATE TABLE promo_codes_hashed (
    hash        BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    beginning   TEXT    NOT NULL CHECK (length(beginning) = 4),
    chars       INTEGER NOT NULL CHECK (chars > 0), -- characters that it adds per month
    uses        INTEGER NOT NULL CHECK (uses > 0),
    used        INTEGER NOT NULL DEFAULT 0 CHECK (used BETWEEN 0 AND uses),
    created_ms  INTEGER NOT NULL,
    expires_ms  INTEGER,
    disabled_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX promo_codes_by_beginning ON promo_codes_hashed (beginning);

-- An account can redeem a code only once.
CREATE TABLE promo_redemptions_hashed (
    account     TEXT    NOT NULL REFERENCES accounts (id),
    hash        BLOB    NOT NULL REFERENCES promo_codes_hashed (hash),
    redeemed_ms INTEGER NOT NULL,
    PRIMARY KEY (account, hash)
) STRICT, WITHOUT ROWID;
