-- API keys. A key itself is never stored: `hash` is its SHA-256, and `prefix` its first characters, which identify it.
CREATE TABLE keys (
    prefix     TEXT    NOT NULL PRIMARY KEY,
    hash       BLOB    NOT NULL CHECK (length(hash) = 32),
    name       TEXT    NOT NULL,
    scopes     TEXT    NOT NULL, -- separated by spaces
    created_ms INTEGER NOT NULL, -- milliseconds since 1970, like all times
    expires_ms INTEGER,
    revoked_ms INTEGER,
    rate       REAL    CHECK (rate > 0), -- requests per second; NULL for no limit, as in the next two columns
    burst      INTEGER CHECK (burst > 0),
    streams    INTEGER CHECK (streams > 0),
    revision   INTEGER NOT NULL -- the value of key_revision at the row's last change
) STRICT;

CREATE INDEX keys_by_revision ON keys (revision);

-- One row that counts changes of keys, so that servers can query the changes since their last query.
CREATE TABLE key_revision (
    only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
    value    INTEGER NOT NULL
) STRICT;

INSERT INTO key_revision (only_row, value) VALUES (1, 0);
