WHERE email > :after ORDER BY email LIMIT :limit
