UPDATE keys
SET rate = :rate, burst = :burst, streams = :streams, monthly_cap = :monthly_cap, spent_month = NULL, revision = :revision
WHERE prefix = :prefix
