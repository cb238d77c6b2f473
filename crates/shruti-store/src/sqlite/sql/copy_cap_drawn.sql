INSERT INTO cap_drawn (prefix, month, drawn)
SELECT :new, month, drawn FROM cap_drawn WHERE prefix = :old AND month = :month
