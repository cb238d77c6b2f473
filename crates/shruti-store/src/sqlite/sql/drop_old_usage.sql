DELETE FROM usage WHERE day < :first
