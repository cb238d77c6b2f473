UPDATE keys SET last_used_ms = :now_ms WHERE prefix = :prefix AND (last_used_ms IS NULL OR last_used_ms < :now_ms)
