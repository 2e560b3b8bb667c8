DELETE FROM usage_label_day WHERE day_ms = :day
