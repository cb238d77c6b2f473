DELETE FROM audit WHERE id <= (SELECT max(id) FROM audit) - :kept
