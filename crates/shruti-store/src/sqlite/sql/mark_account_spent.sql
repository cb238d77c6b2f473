UPDATE accounts SET spent_month = :month WHERE id = :account AND spent_month IS NOT :month
