SELECT monthly_chars, is_operator,
    coalesce((SELECT drawn FROM allowance_drawn WHERE account = accounts.id AND month = :month), 0) AS drawn,
    coalesce((SELECT sum(chars - used) FROM leases WHERE account = accounts.id AND month = :month), 0) AS lent
FROM accounts WHERE id = :account
