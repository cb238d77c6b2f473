SELECT account, created_ms, used_ms, ends_ms, may_set_password FROM sessions
WHERE hash = :hash AND ends_ms > :now_ms AND used_ms > :idle_since_ms
