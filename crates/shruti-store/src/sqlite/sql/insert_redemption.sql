INSERT INTO promo_redemptions (account, hash, redeemed_ms) VALUES (:account, :hash, :now_ms)
ON CONFLICT (account, hash) DO NOTHING
