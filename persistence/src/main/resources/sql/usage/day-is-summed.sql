INSERT INTO usage_day_summed (day_ms, spill, labels) VALUES (:day, true, true)
ON CONFLICT (day_ms) DO UPDATE SET spill = true, labels = true
