WHERE email = :email
