-- Time of each GPU in members of the tenant between two times, in one row for each project and node. A single statement, so that an
-- allocation that ends concurrently is read once: as held, or as its interval. Ordered for pages: the null of an unknown device is ''.
-- Intervals are found by their ends, because row-level security uses no index for operators of ranges. An interval that ended more
-- than a day later is longer than a day, and long intervals have an index. Intervals are added up before their devices are separated,
-- because the members of a node have few sets of devices.
SELECT x.project, x.cluster, x.node, x.gpu, x.model, x.milli_ms, p.name AS project_name, coalesce(c.name, r.name) AS cluster_name,
       coalesce(n.name, o.name) AS node_name, d.serial
FROM (
  SELECT u.project, u.cluster, u.node, coalesce(g.gpu, '') AS gpu, u.model,
         sum(g.milli * u.ms)::bigint AS milli_ms
  FROM (
    SELECT i.project, i.cluster, i.node, i.model, i.milli, i.devices,
           sum(least(i.ended_ms, :to) - greatest(i.started_ms, :from))::bigint AS ms
    FROM (
      SELECT * FROM usage_interval
      WHERE tenant = :tenant AND ended_ms > :from AND ended_ms <= :to + 86400000 AND started_ms < :to AND started_ms < ended_ms
      UNION ALL
      SELECT * FROM usage_interval
      WHERE tenant = :tenant AND ended_ms > :to + 86400000 AND started_ms < :to AND ended_ms - started_ms > 86400000
    ) AS i
    GROUP BY 1, 2, 3, 4, 5, 6
    UNION ALL
    SELECT j.project, t.cluster, a.node, m.model, a.milli, fairlead_devices(m.gpus, m.devices),
           :to - greatest(a.since_ms, :from)
    FROM (
      SELECT h.attempt, h.role, h.idx, h.node, h.since_ms, array_agg(h.milli ORDER BY h.gpu) AS milli
      FROM gpu_held h
      WHERE h.gpu >= 0 AND h.since_ms < :to
      GROUP BY 1, 2, 3, 4, 5
    ) AS a
    JOIN member m ON m.attempt = a.attempt AND m.role = a.role AND m.idx = a.idx
    JOIN attempt t ON t.id = a.attempt AND t.live
    JOIN job j ON j.id = t.job AND j.tenant = :tenant
    UNION ALL
    SELECT j.project, t.cluster, a.node, m.model, ARRAY[a.milli], NULL, :to - greatest(a.since_ms, :from)
    FROM slice_allocation a
    JOIN member m ON m.attempt = a.attempt AND m.role = a.role AND m.idx = a.idx
    JOIN attempt t ON t.id = a.attempt AND t.live
    JOIN job j ON j.id = t.job AND j.tenant = :tenant
    WHERE a.since_ms < :to
  ) AS u
  CROSS JOIN LATERAL unnest(u.milli, u.devices) AS g (milli, gpu)
  GROUP BY 1, 2, 3, 4, 5
) AS x
LEFT JOIN project p ON p.id = x.project
LEFT JOIN cluster c ON c.id = x.cluster
LEFT JOIN cluster_removed r ON r.id = x.cluster
LEFT JOIN node n ON n.id = x.node
LEFT JOIN node_retired o ON o.id = x.node
LEFT JOIN gpu_device d ON d.uuid = x.gpu
WHERE (x.gpu COLLATE "C", x.project, x.cluster, x.node, x.model COLLATE "C")
      > (CAST(:gpu AS text), CAST(:project AS uuid), CAST(:cluster AS uuid), CAST(:node AS uuid), CAST(:model AS text))
ORDER BY x.gpu COLLATE "C", x.project, x.cluster, x.node, x.model COLLATE "C"
LIMIT :limit
