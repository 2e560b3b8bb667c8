SELECT id, tenant, document, suspended, decided, next_instant, next_at, failures, decisions
FROM schedule
WHERE next_at <= :now AND NOT suspended
ORDER BY next_at, id
LIMIT :limit
