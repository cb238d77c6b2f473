-- The last usage report of each server process, so that a report that is sent twice counts once.
CREATE TABLE usage_reports (
    server      BLOB    NOT NULL PRIMARY KEY CHECK (length(server) = 16),
    number      INTEGER NOT NULL,
    reported_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
