INSERT INTO cap_drawn (prefix, month, drawn) VALUES (:prefix, :month, :chars)
ON CONFLICT (prefix, month) DO UPDATE SET drawn = drawn + :chars
