SELECT x.model, x.hour_ms, sum(x.spilled)::bigint AS spilled, sum(x.free)::bigint AS free
FROM (
  SELECT s.model, s.hour_ms, s.milli_ms AS spilled, 0 AS free
  FROM spill_hour s
  WHERE s.tenant = CAST(:tenant AS uuid) AND s.hour_ms >= :from AND s.hour_ms < :to
  UNION ALL
  SELECT r.model, r.hour_ms, 0, r.milli_ms
  FROM reserved_hour r
  WHERE r.bucket = 'FREE' AND (r.tenant IS NULL OR r.tenant = CAST(:tenant AS uuid)) AND r.hour_ms >= :from AND r.hour_ms < :to
) AS x
GROUP BY x.model, x.hour_ms
ORDER BY x.model, x.hour_ms
