UPDATE accounts SET locked_ms = NULL WHERE id = :account
