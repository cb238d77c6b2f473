DELETE FROM sign_in_links WHERE expires_ms <= :now_ms
