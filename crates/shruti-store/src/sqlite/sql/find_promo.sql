WHERE hash = :hash
