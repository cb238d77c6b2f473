DELETE FROM sign_in_failures WHERE last_ms <= :forgotten_ms
