SELECT id, at_ms, actor, event, account, subject, outcome, times FROM audit
WHERE id < :before AND (:account IS NULL OR account = :account) ORDER BY id DESC LIMIT :limit
