UPDATE keys SET spent_month = NULL WHERE prefix = :prefix AND spent_month = :month
