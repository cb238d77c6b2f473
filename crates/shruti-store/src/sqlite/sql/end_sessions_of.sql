DELETE FROM sessions WHERE account = :account
