DELETE FROM service_gate WHERE stored_at < :before
