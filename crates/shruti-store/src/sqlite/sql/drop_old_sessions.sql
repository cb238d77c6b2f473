DELETE FROM sessions WHERE ends_ms <= :now_ms OR used_ms <= :idle_since_ms
