ORDER BY created_ms, beginning
