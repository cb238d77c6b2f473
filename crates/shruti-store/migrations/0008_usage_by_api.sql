-- Adds the API to the usage. A table WITHOUT ROWID is stored by its primary key, so the table is rewritten.
CREATE TABLE usage_by_api (
    prefix   TEXT    NOT NULL REFERENCES keys (prefix),
    day      INTEGER NOT NULL,
    voice    TEXT    NOT NULL,
    language TEXT    NOT NULL,
    api      TEXT    NOT NULL, -- 'unknown' if it was not recorded
    chars    INTEGER NOT NULL, -- characters whose audio was sent
    requests INTEGER NOT NULL,
    audio_ms INTEGER NOT NULL,
    PRIMARY KEY (prefix, day, voice, language, api)
) STRICT, WITHOUT ROWID;

INSERT INTO usage_by_api (prefix, day, voice, language, api, chars, requests, audio_ms)
    SELECT prefix, day, voice, language, 'unknown', chars, requests, audio_ms FROM usage;

DROP TABLE usage;
ALTER TABLE usage_by_api RENAME TO usage;

CREATE INDEX usage_by_day ON usage (day);
