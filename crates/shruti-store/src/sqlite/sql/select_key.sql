SELECT keys.prefix, keys.hash, keys.name, keys.purpose, keys.scopes, keys.created_ms, keys.expires_ms, keys.revoked_ms,
    keys.rate, keys.burst, keys.streams, keys.account, keys.monthly_cap, keys.last_used_ms,
    keys.spent_month AS cap_spent_month, accounts.spent_month AS allowance_spent_month,
    accounts.is_operator, accounts.access_ms, accounts.locked_ms,
    (SELECT group_concat(origin, ' ') FROM key_origins WHERE key_origins.prefix = keys.prefix) AS origins
FROM keys LEFT JOIN accounts ON accounts.id = keys.account
