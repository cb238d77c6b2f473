INSERT INTO sessions (hash, account, created_ms, used_ms, ends_ms, may_set_password)
VALUES (:hash, :account, :now_ms, :now_ms, :ends_ms, :may_set_password)
