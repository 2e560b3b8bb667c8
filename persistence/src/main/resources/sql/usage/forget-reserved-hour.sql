DELETE FROM reserved_hour WHERE hour_ms = :hour
