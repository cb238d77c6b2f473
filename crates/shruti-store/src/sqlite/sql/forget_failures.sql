DELETE FROM sign_in_failures WHERE email_hash = :email_hash
