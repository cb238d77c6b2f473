DELETE FROM sign_in_failures WHERE has_account = 0 AND last_ms <= (
    SELECT last_ms FROM sign_in_failures WHERE has_account = 0 ORDER BY last_ms DESC LIMIT 1 OFFSET :kept
)
