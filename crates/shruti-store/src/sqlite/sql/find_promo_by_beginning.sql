WHERE beginning = :beginning LIMIT 2
