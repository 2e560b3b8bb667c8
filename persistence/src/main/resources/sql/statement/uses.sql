-- One row for each key and span, regardless of the number of hours and users. Spans are found by their start times.
SELECT u.span, u.project, p.name AS project_name, p.cost_centre, u.queue, q.name AS queue_name, u.cluster,
       coalesce(c.name, r.name) AS cluster_name, u.pool, u.model, u.capacity, u.milli_ms
FROM (
  SELECT width_bucket(h.hour_ms, CAST(:begins AS bigint[])) - 1 AS span,
         h.project, h.queue, h.cluster, h.pool, h.model, h.capacity, sum(h.milli_ms)::bigint AS milli_ms
  FROM usage_hour h
  WHERE h.tenant = :tenant AND h.hour_ms >= :from AND h.hour_ms < :to
  GROUP BY 1, 2, 3, 4, 5, 6, 7
) AS u
LEFT JOIN project p ON p.id = u.project
LEFT JOIN quota_node q ON q.id = u.queue
LEFT JOIN cluster c ON c.id = u.cluster
LEFT JOIN cluster_removed r ON r.id = u.cluster
ORDER BY project_name, u.project, queue_name, u.queue, cluster_name, u.cluster, u.pool, u.model, u.capacity, u.span
