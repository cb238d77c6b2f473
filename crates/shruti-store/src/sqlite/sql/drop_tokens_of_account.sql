DELETE FROM tokens WHERE prefix IN (SELECT prefix FROM keys WHERE account = :account)
