UPDATE keys SET revoked_ms = NULL, revision = :revision WHERE prefix = :prefix AND purpose = 'playground'
