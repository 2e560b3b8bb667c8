SELECT at, incarnation, CAST(CAST(xid AS text) AS bigint) AS xid, seq, type, subject_kind, subject, version, actor, tenant, project,
       data, context
FROM event
WHERE (incarnation, xid, seq) > (CAST(:incarnation AS smallint), CAST(CAST(:xid AS text) AS xid8), :seq)
  AND (incarnation < (SELECT i.incarnation FROM installation i) OR xid < pg_snapshot_xmin(pg_current_snapshot()))
ORDER BY incarnation, xid, seq
LIMIT :limit
