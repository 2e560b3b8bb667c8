SELECT incarnation, CAST(CAST(xid AS text) AS bigint) AS xid, seq
FROM event
ORDER BY incarnation, xid, seq
LIMIT 1
