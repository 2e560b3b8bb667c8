-- One statement, so that an allocation that ends meanwhile is read once: as it was held, or as its interval. Of one GPU
-- the uses come first; -1 is no GPU but the slices of the node. A span without an end has no upper bound; one without length touches nothing.
SELECT r.node, r.gpu, r.cluster, coalesce(r.pool, '') AS pool, r.owner, r.model, r.capacity, r.state, r.milli, r.slices, r.tenant,
       r.project, r.queue, r.used_by, r.started_ms, r.ended_ms
FROM (
  SELECT f.node, f.gpu, f.cluster, f.pool, f.owner, f.model, f.capacity, f.state, f.kept_milli AS milli, 0 AS slices,
         NULL::uuid AS tenant, NULL::uuid AS project, NULL::uuid AS queue, NULL AS used_by, f.started_ms,
         coalesce(f.ended_ms, :to) AS ended_ms
  FROM gpu_interval f
  WHERE int8range(f.started_ms, f.ended_ms) && int8range(:from, :to)
  UNION ALL
  SELECT u.node, x.gpu, u.cluster, u.pool, NULL, u.model, u.capacity, 'USED', x.milli, x.slices, u.tenant, u.project, u.queue,
         u.used_by, u.started_ms, u.ended_ms
  FROM usage_interval u
  CROSS JOIN LATERAL unnest(u.gpus, u.milli, u.slices) AS x (gpu, milli, slices)
  WHERE int8range(u.started_ms, u.ended_ms) && int8range(:from, :to)
  UNION ALL
  SELECT a.node, a.gpu, t.cluster, a.pool, NULL, m.model, m.capacity, 'USED', a.milli, a.slices, j.tenant, j.project, j.queue,
         j.submitted_by, a.since_ms, :to
  FROM gpu_held a
  JOIN member m ON m.attempt = a.attempt AND m.role = a.role AND m.idx = a.idx
  JOIN attempt t ON t.id = a.attempt AND t.live
  JOIN job j ON j.id = t.job
  WHERE a.since_ms < :to
) AS r
ORDER BY r.node, r.gpu, (r.state = 'USED') DESC, r.started_ms
