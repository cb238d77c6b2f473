INSERT INTO allowance_drawn (account, month, drawn) VALUES (:account, :month, :chars)
ON CONFLICT (account, month) DO UPDATE SET drawn = drawn + :chars
