INSERT INTO accounts (id, email, password, created_ms, is_operator, monthly_chars)
VALUES (:id, :email, :password, :now_ms, :is_operator, 0)
ON CONFLICT (email) DO NOTHING
