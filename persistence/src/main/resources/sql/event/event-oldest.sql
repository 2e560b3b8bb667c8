-- Behind everything that was dropped: rows of other days may lie before that and tell nothing.
SELECT incarnation, CAST(CAST(xid AS text) AS bigint) AS xid, seq
FROM event
WHERE (incarnation, xid, seq) > (SELECT f.incarnation, f.xid, f.seq FROM event_floor f)
ORDER BY incarnation, xid, seq
LIMIT 1
