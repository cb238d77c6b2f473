INSERT INTO promo_codes (code, chars, uses, created_ms, expires_ms) VALUES (:code, :chars, :uses, :now_ms, :expires_ms)
