DELETE FROM tokens WHERE expires_ms <= :now_ms
