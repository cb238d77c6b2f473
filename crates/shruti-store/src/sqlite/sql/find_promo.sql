WHERE code = :code
