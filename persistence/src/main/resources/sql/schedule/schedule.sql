SELECT id, tenant, document, suspended, decided, next_instant, next_at, failures, decisions
FROM schedule
WHERE tenant = :tenant AND document = :document
