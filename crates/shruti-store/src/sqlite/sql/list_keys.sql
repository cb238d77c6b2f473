ORDER BY keys.created_ms, keys.prefix
