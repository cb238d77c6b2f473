UPDATE keys SET expires_ms = :expires_ms, revision = :revision WHERE prefix = :prefix
