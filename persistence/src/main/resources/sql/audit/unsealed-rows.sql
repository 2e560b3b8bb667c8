-- Reads rows before the horizon: no other row can appear before them.
SELECT incarnation, CAST(CAST(xid AS text) AS bigint) AS xid, seq, at, tenant, actor, administrator, operation, subject, allowed,
  count, request_id, address, CAST(detail AS text) AS detail
FROM audit_record
WHERE (incarnation, xid, seq) > (CAST(:incarnation AS smallint), CAST(CAST(:xid AS text) AS xid8), :seq)
  AND (incarnation, xid) < (SELECT i.incarnation, pg_snapshot_xmin(pg_current_snapshot()) FROM installation i)
ORDER BY incarnation, xid, seq
LIMIT :limit
