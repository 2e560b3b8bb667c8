-- Below the oldest transaction that is open: no row can appear in front of these any more.
SELECT incarnation, CAST(CAST(xid AS text) AS bigint) AS xid, seq, at, content
FROM audit_content
WHERE (incarnation, xid, seq) > (CAST(:incarnation AS smallint), CAST(CAST(:xid AS text) AS xid8), :seq)
  AND at >= coalesce(CAST(:since AS timestamptz), '-infinity')
  AND (incarnation < (SELECT i.incarnation FROM installation i) OR xid < pg_snapshot_xmin(pg_current_snapshot()))
ORDER BY incarnation, xid, seq
LIMIT :limit
