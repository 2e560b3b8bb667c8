INSERT INTO usage_day_summed (day_ms, spill) VALUES (:day, true) ON CONFLICT (day_ms) DO UPDATE SET spill = true
