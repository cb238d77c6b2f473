INSERT INTO audit (at_ms, actor, event, account, subject, outcome, times)
VALUES (:at_ms, :actor, :event, :account, :subject, :outcome, 1)
