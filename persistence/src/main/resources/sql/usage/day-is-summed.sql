INSERT INTO usage_day_summed (day_ms) VALUES (:day)
ON CONFLICT DO NOTHING
