SELECT drawn FROM cap_drawn WHERE prefix = :prefix AND month = :month
