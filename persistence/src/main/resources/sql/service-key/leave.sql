DELETE FROM service_gate WHERE id = :gate
