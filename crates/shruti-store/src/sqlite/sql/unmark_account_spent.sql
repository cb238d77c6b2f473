UPDATE accounts SET spent_month = NULL WHERE id = :account AND spent_month = :month
