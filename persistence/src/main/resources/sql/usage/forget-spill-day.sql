DELETE FROM spill_day WHERE day_ms = :day
