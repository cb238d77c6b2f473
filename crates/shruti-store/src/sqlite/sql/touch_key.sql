UPDATE keys SET revision = :revision WHERE prefix = :prefix
