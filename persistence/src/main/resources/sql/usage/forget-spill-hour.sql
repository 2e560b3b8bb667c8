DELETE FROM spill_hour WHERE hour_ms = :hour
