-- Since when it is proven that mail to its address reaches the holder of an account; NULL until then.
ALTER TABLE accounts ADD COLUMN verified_ms INTEGER;

-- Links that prove it, one an account.
CREATE TABLE verification_links (
    account    TEXT    NOT NULL PRIMARY KEY REFERENCES accounts (id),
    hash       BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),
    expires_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Whether a link that signs in was sent to the address, so that its use proves the same; an operator's is handed over.
ALTER TABLE sign_in_links ADD COLUMN by_mail INTEGER NOT NULL DEFAULT 0 CHECK (by_mail IN (0, 1));
