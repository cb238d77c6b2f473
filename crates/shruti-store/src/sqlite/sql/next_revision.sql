UPDATE key_revision SET value = value + 1 RETURNING value
