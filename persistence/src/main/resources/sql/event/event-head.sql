-- The last fact of the newest complete row.
SELECT incarnation, CAST(CAST(xid AS text) AS bigint) AS xid, event.seq + coalesce(jsonb_array_length(more), 0) AS seq
FROM event
WHERE incarnation < (SELECT i.incarnation FROM installation i) OR xid < pg_snapshot_xmin(pg_current_snapshot())
ORDER BY event.incarnation DESC, event.xid DESC, event.seq DESC
LIMIT 1
