-- Lexicons of accounts: readings of words for all requests with keys of the account.
CREATE TABLE lexicons (
    account    TEXT    NOT NULL PRIMARY KEY REFERENCES accounts (id),
    version    INTEGER NOT NULL, -- number of changes; it never decreases, because an emptied lexicon keeps its row
    changed_ms INTEGER NOT NULL,
    is_empty   INTEGER NOT NULL CHECK (is_empty IN (0, 1)),
    -- last column of a table with row IDs, so that a query for only the version does not read it
    toml       TEXT    NOT NULL
) STRICT;
