INSERT INTO schedule (id, document, tenant, suspended, decided, next_instant, next_at, failures, decisions)
VALUES (:id, :document, :tenant, :suspended, :decided, :nextInstant, :nextAt, :failures, :decisions)
