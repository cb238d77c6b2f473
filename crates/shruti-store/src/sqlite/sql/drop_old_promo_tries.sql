DELETE FROM promo_tries WHERE at_ms <= :since_ms
