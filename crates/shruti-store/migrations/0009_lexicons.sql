-- Readings of words that the holder of an account gives, for all requests by its keys.
CREATE TABLE lexicons (
    account    TEXT    NOT NULL PRIMARY KEY REFERENCES accounts (id),
    version    INTEGER NOT NULL, -- counts the changes; never goes back, as an emptied lexicon keeps its row
    changed_ms INTEGER NOT NULL,
    is_empty   INTEGER NOT NULL CHECK (is_empty IN (0, 1)),
    -- last, and in a table with rows: who asks for the version alone reads none of it
    toml       TEXT    NOT NULL
) STRICT;
