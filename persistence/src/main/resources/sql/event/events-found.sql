-- Selects the requested events among a bounded number of events of all tenants after the position. Each row, or one row without an event
-- if none matches, has the number of checked events and the last of them. Stored rows are read as in events-after.
WITH stored AS MATERIALIZED (
  SELECT at, incarnation, xid, seq, type, subject_kind, subject, version, actor, tenant, project, data, context, more
  FROM event
  WHERE (incarnation, xid, seq) > (CAST(:incarnation AS smallint), CAST(CAST(:xid AS text) AS xid8), :seq - 32)
    AND (incarnation < (SELECT i.incarnation FROM installation i) OR xid < pg_snapshot_xmin(pg_current_snapshot()))
  ORDER BY incarnation, xid, seq
  LIMIT :most + 32
), looked_at AS MATERIALIZED (
  SELECT s.at, s.incarnation, s.xid, s.seq + f.place AS seq, f.type, s.subject_kind, s.subject, s.version, s.actor, s.tenant,
         s.project, f.data, s.context
  FROM stored s CROSS JOIN LATERAL fairlead_facts(s.type, s.data, s.more) AS f
  WHERE (s.incarnation, s.xid, s.seq + f.place) > (CAST(:incarnation AS smallint), CAST(CAST(:xid AS text) AS xid8), :seq)
  ORDER BY s.incarnation, s.xid, s.seq + f.place
  LIMIT :most
), found AS (
  SELECT at, incarnation, CAST(CAST(xid AS text) AS bigint) AS xid, seq, type, subject_kind, subject, version, actor, tenant,
         project, data, context
  FROM looked_at
  WHERE tenant = CASE
      WHEN :fleet AND subject_kind IN ('CLUSTER', 'INCIDENT', 'NODE', 'QUARANTINE') THEN CAST(:all AS uuid)
      ELSE :tenant
    END
    AND (:anyPlace OR subject_kind IN ('CLUSTER', 'INCIDENT', 'NODE', 'QUARANTINE') AND data @> CAST(:place AS jsonb))
    AND (:everyProject OR project IN (SELECT unnest(CAST(:projects AS uuid[]))))
    AND (CAST(:job AS uuid) IS NULL OR subject_kind = 'JOB' AND subject = CAST(:job AS uuid))
    AND (:anyType OR type IN (:types))
  ORDER BY looked_at.incarnation, looked_at.xid, looked_at.seq
  LIMIT :limit
), last AS (
  SELECT incarnation AS last_incarnation, CAST(CAST(xid AS text) AS bigint) AS last_xid, seq AS last_seq
  FROM looked_at
  ORDER BY looked_at.incarnation DESC, looked_at.xid DESC, looked_at.seq DESC
  LIMIT 1
)
SELECT f.*, l.*, (SELECT count(*) FROM looked_at) AS looked
FROM last l LEFT JOIN found f ON true
ORDER BY f.incarnation, f.xid, f.seq
