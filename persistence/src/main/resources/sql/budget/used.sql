SELECT u.attempt, u.cluster, coalesce(u.pool, '') AS pool, u.model, u.capacity, u.started_ms, u.ended_ms,
       (SELECT sum(m) FROM unnest(u.milli) AS m) AS milli
FROM usage_interval u
WHERE u.attempt IN (SELECT unnest(CAST(:attempts AS uuid[])))
