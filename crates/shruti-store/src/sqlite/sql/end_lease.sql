DELETE FROM leases WHERE id = :id RETURNING prefix, account, month, chars, used
