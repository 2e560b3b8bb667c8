-- After all dropped rows. Rows of other days may have lower positions and do not count.
SELECT incarnation, CAST(CAST(xid AS text) AS bigint) AS xid, seq
FROM event
WHERE (incarnation, xid, seq) > (SELECT f.incarnation, f.xid, f.seq FROM event_floor f)
ORDER BY event.incarnation, event.xid, event.seq
LIMIT 1
