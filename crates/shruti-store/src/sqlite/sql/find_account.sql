WHERE id = :id
