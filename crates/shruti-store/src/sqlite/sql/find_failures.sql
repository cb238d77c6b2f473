SELECT failures, blocked_until_ms FROM sign_in_failures
WHERE email_hash = :email_hash AND last_ms > :forgotten_ms
