SELECT EXISTS (SELECT 1 FROM promo_redemptions WHERE account = :account AND hash = :hash)
