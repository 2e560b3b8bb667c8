DELETE FROM usage_hour WHERE hour_ms = :hour
