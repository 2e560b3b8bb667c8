DELETE FROM service_key_hour WHERE hour < :before
