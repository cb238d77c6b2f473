SELECT id FROM leases WHERE expires_ms <= :now_ms ORDER BY expires_ms LIMIT :limit
