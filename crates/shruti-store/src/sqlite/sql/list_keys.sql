SELECT prefix, hash, name, scopes, created_ms, expires_ms, revoked_ms, rate, burst, streams,
    (SELECT group_concat(origin, ' ') FROM key_origins WHERE key_origins.prefix = keys.prefix) AS origins
FROM keys ORDER BY created_ms, prefix
