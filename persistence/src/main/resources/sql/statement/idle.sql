-- One row for each part of the fleet, bucket and span. Spans are found by their start times.
SELECT width_bucket(h.hour_ms, CAST(:begins AS bigint[])) - 1 AS span,
       h.cluster, h.pool, h.owner, h.model, h.capacity, h.bucket, sum(h.milli_ms)::bigint AS milli_ms
FROM fleet_hour h
WHERE h.hour_ms >= :from AND h.hour_ms < :to AND h.bucket <> 'USED' AND h.capacity IS NOT NULL
GROUP BY 1, 2, 3, 4, 5, 6, 7
