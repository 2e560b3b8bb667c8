-- A row has up to 32 facts, at its own position and the following ones. The given position may be inside a row, and the rows that may have it are
-- read, too.
WITH stored AS MATERIALIZED (
  SELECT at, incarnation, xid, seq, type, subject_kind, subject, version, actor, tenant, project, data, context, more
  FROM event
  WHERE (incarnation, xid, seq) > (CAST(:incarnation AS smallint), CAST(CAST(:xid AS text) AS xid8), :seq - 32)
    AND (incarnation < (SELECT i.incarnation FROM installation i) OR xid < pg_snapshot_xmin(pg_current_snapshot()))
  ORDER BY incarnation, xid, seq
  LIMIT :limit + 32
)
SELECT s.at, s.incarnation, CAST(CAST(s.xid AS text) AS bigint) AS xid, s.seq + f.place AS seq, f.type, s.subject_kind, s.subject,
       s.version, s.actor, s.tenant, s.project, f.data, s.context
FROM stored s CROSS JOIN LATERAL fairlead_facts(s.type, s.data, s.more) AS f
WHERE (s.incarnation, s.xid, s.seq + f.place) > (CAST(:incarnation AS smallint), CAST(CAST(:xid AS text) AS xid8), :seq)
ORDER BY s.incarnation, s.xid, s.seq + f.place
LIMIT :limit
