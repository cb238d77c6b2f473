INSERT INTO sign_in_failures (email_hash, failures, last_ms, blocked_until_ms, has_account)
VALUES (:email_hash, :failures, :now_ms, :blocked_until_ms, :has_account)
ON CONFLICT (email_hash) DO UPDATE
SET failures = :failures, last_ms = :now_ms, blocked_until_ms = :blocked_until_ms, has_account = :has_account
