DELETE FROM sessions WHERE account = :account AND hash NOT IN (
    SELECT hash FROM sessions WHERE account = :account ORDER BY created_ms DESC, used_ms DESC LIMIT :kept
)
