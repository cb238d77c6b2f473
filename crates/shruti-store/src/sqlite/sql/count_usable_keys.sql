SELECT count(*) FROM keys WHERE revoked_ms IS NULL AND (expires_ms IS NULL OR expires_ms > :now_ms)
