-- Characters drawn from an account's allowance in a month (12 * year + (month - 1)): used, or leased to a server.
CREATE TABLE allowance_drawn (
    account TEXT    NOT NULL REFERENCES accounts (id),
    month   INTEGER NOT NULL,
    drawn   INTEGER NOT NULL,
    PRIMARY KEY (account, month)
) STRICT, WITHOUT ROWID;

-- Characters drawn from the cap of a key in a month.
CREATE TABLE cap_drawn (
    prefix TEXT    NOT NULL REFERENCES keys (prefix),
    month  INTEGER NOT NULL,
    drawn  INTEGER NOT NULL,
    PRIMARY KEY (prefix, month)
) STRICT, WITHOUT ROWID;

-- Leases: characters that a server has drawn. Unused characters are returned when the lease ends.
CREATE TABLE leases (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    prefix     TEXT    NOT NULL REFERENCES keys (prefix),
    account    TEXT    REFERENCES accounts (id), -- NULL if the characters are drawn only from a cap
    month      INTEGER NOT NULL,
    chars      INTEGER NOT NULL,
    used       INTEGER NOT NULL DEFAULT 0, -- reported use
    expires_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX leases_by_expiry ON leases (expires_ms);
CREATE INDEX leases_by_account ON leases (account, month);

-- Usage by UTC day (days since 1970).
CREATE TABLE usage (
    prefix   TEXT    NOT NULL REFERENCES keys (prefix),
    day      INTEGER NOT NULL,
    voice    TEXT    NOT NULL,
    language TEXT    NOT NULL,
    chars    INTEGER NOT NULL, -- characters whose audio was sent
    requests INTEGER NOT NULL,
    audio_ms INTEGER NOT NULL,
    PRIMARY KEY (prefix, day, voice, language)
) STRICT, WITHOUT ROWID;

CREATE INDEX usage_by_day ON usage (day);
