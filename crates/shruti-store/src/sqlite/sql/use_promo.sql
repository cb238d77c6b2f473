UPDATE promo_codes SET used = used + 1 WHERE hash = :hash AND used < uses
