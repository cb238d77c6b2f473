INSERT OR REPLACE INTO sign_in_links (account, hash, expires_ms) VALUES (:account, :hash, :expires_ms)
