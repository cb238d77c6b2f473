DELETE FROM sessions WHERE hash = :hash RETURNING account
