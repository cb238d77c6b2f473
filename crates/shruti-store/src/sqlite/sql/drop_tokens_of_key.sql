DELETE FROM tokens WHERE prefix = :prefix
