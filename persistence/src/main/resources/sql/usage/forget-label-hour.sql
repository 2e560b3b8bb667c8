DELETE FROM usage_label_hour WHERE hour_ms = :hour
