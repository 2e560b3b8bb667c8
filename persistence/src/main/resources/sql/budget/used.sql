SELECT u.attempt, u.started_ms, u.ended_ms, (SELECT sum(m) FROM unnest(u.milli) AS m) AS milli
FROM usage_interval u
WHERE u.attempt IN (SELECT unnest(CAST(:attempts AS uuid[])))
