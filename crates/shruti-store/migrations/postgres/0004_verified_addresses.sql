-- Since when it is proven that mail to its address reaches the holder of an account; NULL until then.
ALTER TABLE accounts ADD COLUMN verified_ms BIGINT;

-- Links that prove it, one an account.
CREATE TABLE verification_links (
    account    TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES accounts (id),
    hash       BYTEA  NOT NULL UNIQUE CHECK (length(hash) = 32),
    expires_ms BIGINT NOT NULL
);

-- Whether a link that signs in was sent to the address, so that its use proves the same; an operator's is handed over.
ALTER TABLE sign_in_links ADD COLUMN by_mail BOOLEAN NOT NULL DEFAULT FALSE;
