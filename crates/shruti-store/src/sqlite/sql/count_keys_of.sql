SELECT count(*), count(*) FILTER (WHERE revoked_ms IS NULL AND (expires_ms IS NULL OR expires_ms > :now_ms))
FROM keys WHERE account = :account AND purpose = 'api'
