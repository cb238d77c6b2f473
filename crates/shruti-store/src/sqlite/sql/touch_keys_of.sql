UPDATE keys SET revision = :revision WHERE account = :account AND revoked_ms IS NULL
