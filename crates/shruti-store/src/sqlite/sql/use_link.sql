DELETE FROM sign_in_links WHERE hash = :hash AND expires_ms > :now_ms RETURNING account
