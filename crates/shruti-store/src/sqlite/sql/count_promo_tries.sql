SELECT count(*), min(at_ms) FROM promo_tries WHERE account = :account AND at_ms > :since_ms
