UPDATE accounts SET password = :password WHERE id = :account
