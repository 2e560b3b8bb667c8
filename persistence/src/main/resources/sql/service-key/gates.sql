SELECT count(*) FROM service_gate WHERE stored_at > :since
