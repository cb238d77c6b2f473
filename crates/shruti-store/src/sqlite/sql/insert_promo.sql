INSERT INTO promo_codes (hash, beginning, chars, uses, created_ms, expires_ms)
VALUES (:hash, :beginning, :chars, :uses, :now_ms, :expires_ms)
