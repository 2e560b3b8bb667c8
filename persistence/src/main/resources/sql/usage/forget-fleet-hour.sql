DELETE FROM fleet_hour WHERE hour_ms = :hour
