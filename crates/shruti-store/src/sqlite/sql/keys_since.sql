SELECT prefix, hash, name, scopes, created_ms, expires_ms, revoked_ms, rate, burst, streams
FROM keys WHERE revision > :revision ORDER BY revision
