SELECT id, email, password IS NOT NULL AS has_password, created_ms, is_operator, access_ms, locked_ms, monthly_chars
FROM accounts
