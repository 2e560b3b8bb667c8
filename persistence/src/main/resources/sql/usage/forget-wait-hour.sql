DELETE FROM wait_hour WHERE hour_ms = :hour
