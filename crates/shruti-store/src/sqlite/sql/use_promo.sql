UPDATE promo_codes SET used = used + 1 WHERE code = :code AND used < uses
