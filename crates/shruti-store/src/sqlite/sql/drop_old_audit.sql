DELETE FROM audit WHERE at_ms <= :before_ms
