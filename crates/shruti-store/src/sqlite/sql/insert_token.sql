INSERT INTO tokens (hash, prefix, expires_ms) VALUES (:hash, :prefix, :expires_ms)
