INSERT INTO leases (prefix, account, month, chars, expires_ms)
VALUES (:prefix, :account, :month, :chars, :expires_ms)
