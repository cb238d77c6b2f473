-- Time at which the e-mail address of the account was verified; NULL if it is not verified.
ALTER TABLE accounts ADD COLUMN verified_ms BIGINT;

-- Verification links, one per account.
CREATE TABLE verification_links (
    account    TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES accounts (id),
    hash       BYTEA  NOT NULL UNIQUE CHECK (length(hash) = 32),
    expires_ms BIGINT NOT NULL
);

-- Whether a sign-in link was sent to the address, so that its use verifies the address; a link of an operator is not.
ALTER TABLE sign_in_links ADD COLUMN by_mail BOOLEAN NOT NULL DEFAULT FALSE;
