UPDATE accounts
SET access_ms = coalesce(access_ms, :now_ms), monthly_chars = monthly_chars + :chars, spent_month = NULL
WHERE id = :account
