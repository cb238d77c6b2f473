AND :whose IS NULL
