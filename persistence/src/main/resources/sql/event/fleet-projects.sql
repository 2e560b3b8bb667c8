-- Projects with jobs that hold GPUs on the nodes of each event, or on the named slot if the device is one. Members with known devices are
-- not concerned by another device. An event without nodes concerns the whole cluster. A following event also concerns the projects of the earlier events of its object, with
-- the jobs and nodes of the newest one.
WITH incoming AS MATERIALIZED (
  SELECT * FROM json_to_recordset(CAST(:rows AS json)) AS r (ord int, subject uuid, nodes uuid[], gpu text, follows boolean)
), place AS MATERIALIZED (
  SELECT i.ord, p.node, s.idx,
         CASE WHEN i.gpu ~ '^(GPU|gpu)-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' THEN i.gpu END AS uuid
  FROM incoming i CROSS JOIN LATERAL unnest(i.nodes) AS p (node)
  LEFT JOIN gpu_slot s ON s.node = p.node AND s.serial = i.gpu
), held AS MATERIALIZED (
  SELECT p.ord, p.node, a.job
  FROM place p
  JOIN allocation l ON l.node = p.node AND (p.idx IS NULL OR l.gpu = p.idx)
  JOIN attempt a ON a.id = l.attempt
  WHERE p.idx IS NOT NULL OR p.uuid IS NULL OR NOT EXISTS (
    SELECT FROM member m CROSS JOIN LATERAL fairlead_devices(m.gpus, m.devices) AS d (uuids)
    WHERE (m.attempt, m.role, m.idx) = (l.attempt, l.role, l.idx) AND p.uuid <> ALL (d.uuids))
  UNION
  SELECT i.ord, NULL, a.job
  FROM incoming i
  JOIN attempt a ON a.cluster = :cluster AND a.retired_at IS NULL AND a.live
  WHERE cardinality(i.nodes) = 0
), present AS MATERIALIZED (
  SELECT h.ord, j.tenant, j.project, count(DISTINCT j.id) AS job_count,
         to_jsonb((array_agg(DISTINCT j.name))[1 : 16]) AS jobs,
         to_jsonb(array_agg(DISTINCT n.name) FILTER (WHERE n.name IS NOT NULL)) AS nodes
  FROM held h
  JOIN job j ON j.id = h.job
  LEFT JOIN LATERAL (SELECT m.name FROM node m WHERE m.id = h.node OFFSET 0) AS n ON true -- by its key, not by a read of all nodes
  GROUP BY h.ord, j.tenant, j.project
), earlier AS MATERIALIZED (
  SELECT DISTINCT ON (i.ord, e.tenant, e.project)
         i.ord, e.tenant, e.project, CAST(e.data ->> 'jobCount' AS bigint) AS job_count, e.data -> 'jobs' AS jobs,
         e.data -> 'nodes' AS nodes
  FROM incoming i
  JOIN event e ON e.subject = i.subject AND e.tenant <> :fleet
  WHERE i.follows
  ORDER BY i.ord, e.tenant, e.project, e.incarnation DESC, e.xid DESC, e.seq DESC
)
SELECT * FROM present
UNION ALL
SELECT * FROM earlier e
WHERE NOT EXISTS (SELECT FROM present p WHERE (p.ord, p.tenant, p.project) = (e.ord, e.tenant, e.project))
ORDER BY ord, tenant, project
