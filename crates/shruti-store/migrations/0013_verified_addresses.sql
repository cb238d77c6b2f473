-- Time at which the e-mail address of the account was verified; NULL if it is not verified.
ALTER TABLE accounts ADD COLUMN verified_ms INTEGER;

-- Verification links, one per account.
CREATE TABLE verification_links (
    account    TEXT    NOT NULL PRIMARY KEY REFERENCES accounts (id),
    hash       BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),
    expires_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Whether a sign-in link was sent to the address, so that its use verifies the address; a link of an operator is not.
ALTER TABLE sign_in_links ADD COLUMN by_mail INTEGER NOT NULL DEFAULT 0 CHECK (by_mail IN (0, 1));
