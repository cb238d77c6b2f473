WHERE keys.revision > :revision ORDER BY keys.revision
