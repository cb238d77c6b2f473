UPDATE audit SET times = times + 1 WHERE id = (
    SELECT id FROM audit
    WHERE account IS :account AND event = :event AND at_ms >= :day_ms AND actor = :actor AND outcome = :outcome
    ORDER BY at_ms DESC LIMIT 1
)
