-- After all dropped rows: rows of other days may be before that and do not count.
SELECT incarnation, CAST(CAST(xid AS text) AS bigint) AS xid, seq
FROM event
WHERE (incarnation, xid, seq) > (SELECT f.incarnation, f.xid, f.seq FROM event_floor f)
ORDER BY event.incarnation, event.xid, event.seq
LIMIT 1
