UPDATE promo_codes SET disabled_ms = :now_ms WHERE hash = :hash
