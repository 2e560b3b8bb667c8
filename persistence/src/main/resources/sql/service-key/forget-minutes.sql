DELETE FROM service_key_minute WHERE minute < :before
