UPDATE keys SET name = :name, revision = :revision WHERE prefix = :prefix
