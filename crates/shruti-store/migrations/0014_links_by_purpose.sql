-- Single-use sign-in links: per account, one that was sent to its address and one that an operator passes on. Anyone can
-- request the first, which must not replace the second.
CREATE TABLE links (
    account    TEXT    NOT NULL REFERENCES accounts (id),
    by_mail    INTEGER NOT NULL CHECK (by_mail IN (0, 1)),
    hash       BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),
    expires_ms INTEGER NOT NULL,
    PRIMARY KEY (account, by_mail)
) STRICT, WITHOUT ROWID;

INSERT INTO links (account, by_mail, hash, expires_ms) SELECT account, by_mail, hash, expires_ms FROM sign_in_links;
DROP TABLE sign_in_links;
ALTER TABLE links RENAME TO sign_in_links;
