INSERT INTO promo_tries (account, at_ms) VALUES (:account, :now_ms)
