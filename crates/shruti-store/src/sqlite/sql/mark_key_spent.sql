UPDATE keys SET spent_month = :month WHERE prefix = :prefix AND spent_month IS NOT :month
