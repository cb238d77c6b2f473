INSERT INTO key_origins (prefix, origin) VALUES (:prefix, :origin)
