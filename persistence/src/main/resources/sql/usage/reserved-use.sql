SELECT hour_ms, cluster, pool, model, sum(milli_ms)::bigint AS milli_ms
FROM fleet_hour
WHERE bucket = 'USED' AND capacity = 'RESERVED' AND hour_ms >= :from AND hour_ms < :to
GROUP BY hour_ms, cluster, pool, model
ORDER BY hour_ms, cluster, pool, model
