SELECT u.tenant, u.model, sum(u.milli_ms)::bigint AS milli_ms
FROM (
  SELECT h.hour_ms, h.cluster, h.pool, h.tenant, h.model, sum(h.milli_ms)::bigint AS milli_ms
  FROM usage_hour h
  WHERE h.hour_ms >= :from AND h.hour_ms < :to
  GROUP BY 1, 2, 3, 4, 5
) AS u
WHERE NOT EXISTS (
  SELECT FROM fleet_hour f
  WHERE f.hour_ms = u.hour_ms AND f.hour_ms >= :from AND f.hour_ms < :to
    AND f.cluster = u.cluster AND f.pool = u.pool AND f.owner IS NOT NULL)
GROUP BY u.tenant, u.model
ORDER BY u.tenant, u.model
