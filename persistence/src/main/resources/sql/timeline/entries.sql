-- Rows of several tables on one axis: rows of nodes during the relevant time, and the events of one job. Without
-- permissions for the fleet, faults, repairs and tests are omitted, and so are reason and operator of orders. For a node and a cluster the newest rows are read
-- by index: the limit in a lateral query prevents a scan of the table.
WITH stay AS MATERIALIZED (
  SELECT s.node, s.cluster, greatest(s.since, :from) AS since, s.until
  FROM json_to_recordset(CAST(:stays AS json)) AS s (node uuid, cluster uuid, since timestamptz, until timestamptz)
), fault AS MATERIALIZED (
  SELECT i.id, i.node_name, i.cause, i.isolation, i.opened_at, i.ended_at, s.since, s.until
  FROM stay s
  CROSS JOIN LATERAL (SELECT * FROM incident f WHERE f.node = s.node ORDER BY f.id DESC LIMIT 500) AS i
  WHERE :fleet AND i.opened_at <= s.until AND (i.ended_at IS NULL OR i.ended_at >= s.since)
), isolated AS MATERIALIZED (
  SELECT q.id, CASE WHEN q.gpu IS NULL THEN 'Node' ELSE 'Gpu' END AS scope, q.cause, q.owner, q.since AS began, q.released_at, q.released, s.since, s.until,
         coalesce(n.name, r.name) AS node_name
  FROM (SELECT DISTINCT cluster FROM stay) AS c
  CROSS JOIN LATERAL (
    (SELECT * FROM quarantine w WHERE w.cluster = c.cluster AND w.released_at IS NULL ORDER BY w.id DESC LIMIT 10000)
    UNION ALL
    (SELECT * FROM quarantine w WHERE w.cluster = c.cluster AND w.released_at >= :from ORDER BY w.released_at DESC LIMIT 10000)
  ) AS q
  JOIN stay s ON s.node = q.node
  LEFT JOIN node n ON n.id = q.node
  LEFT JOIN node_retired r ON r.id = q.node
), repaired AS MATERIALIZED (
  SELECT p.id, p.content, p.ended_at, p.content ->> 'nodeName' AS node_name, s.since, s.until
  FROM stay s
  CROSS JOIN LATERAL (SELECT * FROM repair w WHERE w.node = s.node ORDER BY w.id DESC LIMIT 100) AS p
  WHERE :fleet AND (p.ended_at IS NULL OR p.ended_at >= s.since)
), step AS MATERIALIZED (
  SELECT p.id, p.node_name, p.since, p.until, x.ord, x.step ->> 'step' AS step,
         CAST(x.step ->> 'askedAt' AS timestamptz) AS asked_at, CAST(x.step ->> 'at' AS timestamptz) AS at,
         CAST(x.step ->> 'done' AS boolean) AS done, x.step ->> 'by' AS by
  FROM repaired p
  CROSS JOIN LATERAL jsonb_array_elements(p.content -> 'steps') WITH ORDINALITY AS x (step, ord)
), tested AS MATERIALIZED (
  SELECT t.id, t.test, t.content, t.ended_at, CAST(t.content ->> 'startedAt' AS timestamptz) AS began,
         t.content ->> 'nodeName' AS node_name, s.since, s.until
  FROM stay s
  CROSS JOIN LATERAL (SELECT * FROM health_test_run w WHERE w.node = s.node ORDER BY w.id DESC LIMIT 100) AS t
  WHERE :fleet AND (t.ended_at IS NULL OR t.ended_at >= s.since)
), hung AS MATERIALIZED (
  SELECT h.id, h.cause, h.at, h.job, cardinality(h.nodes) AS nodes,
         CASE WHEN count(*) = 1 THEN min(h.node_names[array_position(h.nodes, s.node)]) END AS node_name
  FROM stay s
  CROSS JOIN LATERAL (SELECT * FROM hang w WHERE w.nodes @> ARRAY[s.node] ORDER BY w.id DESC LIMIT 100) AS h
  WHERE :fleet AND h.at BETWEEN s.since AND s.until
  GROUP BY h.id, h.cause, h.at, h.job, h.nodes
), drain AS MATERIALIZED (
  SELECT o.id, o.subject, o.node, o.actor, o.state, o.step, o.created_at, o.ended_at, s.since, s.until
  FROM (
    SELECT * FROM operation WHERE ended_at IS NULL
    UNION ALL
    SELECT * FROM operation WHERE ended_at >= :from
  ) AS o
  JOIN stay s ON s.cluster = o.cluster AND s.node IS NOT DISTINCT FROM o.node
), entry AS (
  SELECT opened_at AS at, 'INCIDENT' AS source, CAST(id AS text) || ' 0' AS key, 'IncidentOpened' AS type, CAST(NULL AS uuid) AS job,
         node_name, NULL AS actor, concat_ws('; ', cause, nullif(isolation, '')) AS text
  FROM fault WHERE opened_at BETWEEN since AND until
  UNION ALL
  SELECT ended_at, 'INCIDENT', id || ' 1', 'IncidentEnded', NULL, node_name, NULL, cause
  FROM fault WHERE ended_at BETWEEN since AND until
  UNION ALL
  SELECT at, 'INCIDENT', id || ' 2', 'AttemptHung', job, node_name, NULL,
         cause || '; on ' || nodes || CASE WHEN nodes = 1 THEN ' node' ELSE ' nodes' END
  FROM hung
  UNION ALL
  SELECT began, 'QUARANTINE', id || ' 0', scope || 'Quarantined', NULL, node_name, CASE WHEN :fleet THEN owner END,
         CASE WHEN :fleet THEN cause ELSE '' END
  FROM isolated WHERE began BETWEEN since AND until
  UNION ALL
  SELECT released_at, 'QUARANTINE', id || ' 1', scope || 'Released', NULL, node_name, NULL, CASE WHEN :fleet THEN released ELSE '' END
  FROM isolated WHERE released_at BETWEEN since AND until
  UNION ALL
  SELECT CAST(content ->> 'openedAt' AS timestamptz), 'REPAIR', id || ' 00', 'RepairOpened', NULL, node_name, NULL,
         content ->> 'cause'
  FROM repaired WHERE CAST(content ->> 'openedAt' AS timestamptz) BETWEEN since AND until
  UNION ALL
  SELECT asked_at, 'REPAIR', id || to_char(ord, '00') || ' 0', 'RepairStepAsked', NULL, node_name, NULL, step
  FROM step WHERE asked_at BETWEEN since AND until
  UNION ALL
  SELECT at, 'REPAIR', id || to_char(ord, '00') || ' 1', CASE WHEN done THEN 'RepairStepDone' ELSE 'RepairStepLeftOut' END, NULL,
         node_name, by, step
  FROM step WHERE at BETWEEN since AND until
  UNION ALL
  SELECT CAST(content ->> 'askedAt' AS timestamptz), 'REPAIR', id || ' 98', 'RepairStepAsked', NULL, node_name, NULL,
         content ->> 'step'
  FROM repaired
  WHERE content ->> 'state' = 'ASKED' AND CAST(content ->> 'askedAt' AS timestamptz) BETWEEN since AND until
  UNION ALL
  SELECT ended_at, 'REPAIR', id || ' 99', 'RepairEnded', NULL, node_name, NULL, content ->> 'cause'
  FROM repaired WHERE ended_at BETWEEN since AND until
  UNION ALL
  SELECT began, 'TEST', id || ' 0', 'HealthTestStarted', NULL, node_name, content ->> 'actor', test
  FROM tested WHERE began BETWEEN since AND until
  UNION ALL
  SELECT ended_at, 'TEST', id || ' 1', 'HealthTestEnded', NULL, node_name, NULL,
         concat_ws(': ', test, content ->> 'outcome', nullif(content ->> 'message', ''))
  FROM tested WHERE ended_at BETWEEN since AND until
  UNION ALL
  SELECT created_at, 'DRAIN', id || ' 0', 'DrainStarted', NULL, CASE WHEN node IS NOT NULL THEN subject END,
         CASE WHEN :fleet THEN actor END, CASE WHEN node IS NULL THEN 'of cluster ' || subject ELSE '' END
  FROM drain WHERE created_at BETWEEN since AND until
  UNION ALL
  SELECT ended_at, 'DRAIN', id || ' 1', 'DrainEnded', NULL, CASE WHEN node IS NOT NULL THEN subject END, NULL,
         concat_ws(': ', CASE WHEN node IS NULL THEN 'of cluster ' || subject END,
                   CASE WHEN :fleet THEN concat_ws(', ', state, nullif(step, '')) ELSE state END)
  FROM drain WHERE ended_at BETWEEN since AND until
  UNION ALL
  SELECT e.at, 'JOB',
         lpad(CAST(e.incarnation AS text), 5, '0') || lpad(CAST(e.xid AS text), 20, '0')
           || lpad(CAST(e.seq + f.place AS text), 20, '0'),
         f.type, e.subject, f.data ->> 'node', e.actor,
         concat_ws(', ', 'element ' || (f.data ->> 'element'), 'attempt ' || (f.data ->> 'number'), f.data ->> 'member',
                   f.data ->> 'cause', f.data ->> 'message', f.data ->> 'reason', 'exit code ' || (f.data ->> 'exitCode'))
  FROM event e CROSS JOIN LATERAL fairlead_facts(e.type, e.data, e.more) AS f
  WHERE e.subject = CAST(:job AS uuid) AND e.subject_kind = 'JOB' AND e.tenant = :tenant AND e.at >= :at
)
SELECT at, source, key, type, job, node_name, actor, text
FROM entry
WHERE at >= :at AND (at, source COLLATE "C", key COLLATE "C") > (:at, :source, :key)
ORDER BY at, source COLLATE "C", key COLLATE "C"
LIMIT :limit
