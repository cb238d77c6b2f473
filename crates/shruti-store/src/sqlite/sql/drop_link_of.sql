DELETE FROM sign_in_links WHERE account = :account
