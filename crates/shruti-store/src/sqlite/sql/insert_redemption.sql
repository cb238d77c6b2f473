INSERT INTO promo_redemptions (account, code, redeemed_ms) VALUES (:account, :code, :now_ms)
ON CONFLICT (account, code) DO NOTHING
