-- Use of the replicas of services by service and span, which is a part of the use in statements. Spans are found by their start times.
SELECT h.service, width_bucket(h.hour_ms, CAST(:begins AS bigint[])) - 1 AS span, h.cluster, h.pool, h.model, h.capacity,
       sum(h.milli_ms)::bigint AS milli_ms
FROM usage_hour h
WHERE h.tenant = :tenant AND h.service = ANY(CAST(:services AS text[])) AND h.hour_ms >= :from AND h.hour_ms < :to
GROUP BY 1, 2, 3, 4, 5, 6
