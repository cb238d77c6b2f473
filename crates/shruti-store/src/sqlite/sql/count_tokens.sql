SELECT count(*), min(expires_ms) FROM tokens WHERE prefix = :prefix
