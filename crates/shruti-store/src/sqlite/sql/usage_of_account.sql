AND prefix IN (SELECT prefix FROM keys WHERE account = :whose)
