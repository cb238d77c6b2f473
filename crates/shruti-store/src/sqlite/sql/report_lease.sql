UPDATE leases SET used = max(used, :used), expires_ms = :expires_ms WHERE id = :id
