-- The last report of usage of each server process, so that one that was sent twice counts once.
CREATE TABLE usage_reports (
    server      BLOB    NOT NULL PRIMARY KEY CHECK (length(server) = 16),
    number      INTEGER NOT NULL,
    reported_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
