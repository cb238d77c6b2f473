DELETE FROM allowance_drawn WHERE month < :month
