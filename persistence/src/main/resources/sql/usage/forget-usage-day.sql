DELETE FROM usage_day WHERE day_ms = :day
