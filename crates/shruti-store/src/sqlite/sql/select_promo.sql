SELECT hash, beginning, chars, uses, used, created_ms, expires_ms, disabled_ms FROM promo_codes
