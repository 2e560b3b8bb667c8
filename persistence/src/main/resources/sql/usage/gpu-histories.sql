-- Labels are the non-empty usage labels of the tenant at the first moment. A single statement, so that an allocation that ends
-- concurrently is read once: as held, or as its interval. The uses of a GPU come first. -1 is not a GPU but the slices of the node. A
-- span without an end has no upper bound, and a span of zero length overlaps nothing. Only the specs of replicas are read, because specs
-- are stored out of line. Unused GPUs with the same state in the whole period are one row with their number and a node that does not
-- exist, because nearly all GPUs of a fleet are in few such groups.
WITH replica AS MATERIALIZED (
  SELECT CAST(r -> 'job' ->> 'value' AS uuid) AS job
  FROM model_service s
  CROSS JOIN LATERAL jsonb_array_elements(CAST(s.content AS jsonb) -> 'replicas') AS r
  WHERE r -> 'job' ->> 'value' IS NOT NULL
), named AS MATERIALIZED (
  SELECT DISTINCT ON (tenant) tenant, keys FROM usage_label WHERE from_ms <= :from ORDER BY tenant, from_ms DESC
), used AS MATERIALIZED (
  SELECT u.node, x.gpu, u.cluster, u.pool, u.model, u.capacity, x.milli, x.slices, u.tenant, u.project, u.queue, u.used_by,
         u.started_ms, u.ended_ms, u.labels, u.service
  FROM (
    SELECT i.*,
           CASE WHEN cardinality(n.keys) > 0 THEN (
             SELECT jsonb_object_agg(l.key, l.value) FROM (
               SELECT a.labels FROM attempt_label a
               WHERE a.attempt = i.attempt AND a.from_ms <= i.started_ms ORDER BY a.from_ms DESC LIMIT 1) AS a
             CROSS JOIN jsonb_each_text(a.labels) AS l
             WHERE l.key = ANY (n.keys) AND l.value <> '') END AS labels
    FROM usage_interval i
    LEFT JOIN named n ON n.tenant = i.tenant
    WHERE int8range(i.started_ms, i.ended_ms) && int8range(:from, :to)
    OFFSET 0) AS u
  CROSS JOIN LATERAL unnest(u.gpus, u.milli, u.slices) AS x (gpu, milli, slices)
  UNION ALL
  SELECT a.node, a.gpu, t.cluster, a.pool, m.model, m.capacity, a.milli, a.slices, j.tenant, j.project, j.queue, j.submitted_by,
         a.since_ms, :to,
         CASE WHEN cardinality(n.keys) > 0 THEN (
           SELECT jsonb_object_agg(l.key, l.value) FROM (
             SELECT b.labels FROM attempt_label b
             WHERE b.attempt = a.attempt AND b.from_ms <= a.since_ms ORDER BY b.from_ms DESC LIMIT 1) AS b
           CROSS JOIN jsonb_each_text(b.labels) AS l
           WHERE l.key = ANY (n.keys) AND l.value <> '') END,
         CASE WHEN j.id IN (SELECT job FROM replica) THEN j.spec -> 'annotations' ->> 'serving.fairlead.dev/service' END
  FROM gpu_held a
  JOIN member m ON m.attempt = a.attempt AND m.role = a.role AND m.idx = a.idx
  JOIN attempt t ON t.id = a.attempt AND t.live
  JOIN job j ON j.id = t.job
  LEFT JOIN named n ON n.tenant = j.tenant
  WHERE a.since_ms < :to
), past AS MATERIALIZED (
  SELECT * FROM gpu_interval f
  WHERE f.ended_ms > :from AND int8range(f.started_ms, f.ended_ms) && int8range(:from, :to)
), changed AS MATERIALIZED (
  SELECT node, gpu FROM past
  UNION
  SELECT node, gpu FROM used
)
SELECT r.node, r.gpu, r.gpus, r.cluster, coalesce(r.pool, '') AS pool, r.owner, r.model, r.capacity, r.state, r.milli, r.slices,
       r.tenant, r.project, r.queue, r.used_by, r.started_ms, r.ended_ms, r.labels, r.service
FROM (
  SELECT s.node, s.gpu, s.gpus, s.cluster, s.pool, s.owner, s.model, s.capacity, s.state, s.milli, 0 AS slices, NULL::uuid AS tenant,
         NULL::uuid AS project, NULL::uuid AS queue, NULL AS used_by, s.started_ms, s.ended_ms, NULL::jsonb AS labels, NULL AS service
  FROM (
    SELECT f.node, f.gpu, 1 AS gpus, f.cluster, f.pool, f.owner, f.model, f.capacity, f.state, f.kept_milli AS milli, f.started_ms,
           f.ended_ms
    FROM past f
    UNION ALL
    SELECT f.node, f.gpu, 1, f.cluster, f.pool, f.owner, f.model, f.capacity, f.state, f.kept_milli, f.started_ms, :to
    FROM changed c
    JOIN gpu_interval f ON f.node = c.node AND f.gpu = c.gpu
    WHERE f.ended_ms IS NULL AND f.started_ms < :to
    UNION ALL
    SELECT gen_random_uuid(), o.kind, CAST(count(*) AS int), o.cluster, o.pool, o.owner, o.model, o.capacity, o.state, o.kept_milli,
           o.started_ms, :to
    FROM (
      SELECT f.cluster, f.pool, f.owner, f.model, f.capacity, f.state, f.kept_milli, least(f.gpu, 0) AS kind,
             greatest(f.started_ms, :from) AS started_ms
      FROM gpu_interval f
      WHERE f.ended_ms IS NULL AND f.started_ms < :to
        AND NOT EXISTS (SELECT FROM changed c WHERE c.node = f.node AND c.gpu = f.gpu)) AS o
    GROUP BY o.kind, o.cluster, o.pool, o.owner, o.model, o.capacity, o.state, o.kept_milli, o.started_ms
  ) AS s
  UNION ALL
  SELECT u.node, u.gpu, 1, u.cluster, u.pool, NULL, u.model, u.capacity, 'USED', u.milli, u.slices, u.tenant, u.project, u.queue,
         u.used_by, u.started_ms, u.ended_ms, u.labels, u.service
  FROM used u
) AS r
ORDER BY r.node, r.gpu, (r.state = 'USED') DESC, r.started_ms
