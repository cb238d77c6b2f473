DELETE FROM cap_drawn WHERE month < :month
