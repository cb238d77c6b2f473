UPDATE keys SET revoked_ms = :now_ms, revision = :revision WHERE prefix = :prefix AND revoked_ms IS NULL
