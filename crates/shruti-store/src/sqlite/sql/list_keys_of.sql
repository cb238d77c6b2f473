WHERE keys.account = :account AND keys.purpose = 'api' ORDER BY keys.created_ms, keys.prefix
