SELECT id, password FROM accounts WHERE email = :email
