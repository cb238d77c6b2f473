-- Origins of web pages that may use a key, one row each; a key without rows allows no other origin.
CREATE TABLE key_origins (
    prefix TEXT NOT NULL REFERENCES keys (prefix),
    origin TEXT NOT NULL, -- in the form that browsers send: scheme://host[:port]
    PRIMARY KEY (prefix, origin)
) STRICT, WITHOUT ROWID;

CREATE INDEX key_origins_by_origin ON key_origins (origin);

-- Unused single-use tokens. A token itself is never stored: `hash` is its SHA-256.
CREATE TABLE tokens (
    hash       BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    prefix     TEXT    NOT NULL REFERENCES keys (prefix), -- the key that created it
    expires_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX tokens_by_key ON tokens (prefix, expires_ms);
CREATE INDEX tokens_by_expiry ON tokens (expires_ms);
