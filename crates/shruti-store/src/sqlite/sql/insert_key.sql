INSERT INTO keys (prefix, hash, name, scopes, created_ms, expires_ms, revoked_ms, rate, burst, streams, revision,
    account, monthly_cap, purpose)
VALUES (:prefix, :hash, :name, :scopes, :created_ms, :expires_ms, NULL, :rate, :burst, :streams, :revision,
    :account, :monthly_cap, :purpose)
