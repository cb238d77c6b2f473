WHERE keys.account = :account ORDER BY keys.created_ms, keys.prefix
