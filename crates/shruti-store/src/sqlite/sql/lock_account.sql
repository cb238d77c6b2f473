UPDATE accounts SET locked_ms = :now_ms WHERE id = :account AND locked_ms IS NULL
