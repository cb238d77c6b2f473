ORDER BY created_ms, code
