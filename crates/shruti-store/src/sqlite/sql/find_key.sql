WHERE keys.prefix = :prefix
