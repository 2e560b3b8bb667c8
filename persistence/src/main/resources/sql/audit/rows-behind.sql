SELECT incarnation, CAST(CAST(xid AS text) AS bigint) AS xid, seq, at, content
FROM audit_content
WHERE (incarnation, xid, seq) > (CAST(:incarnation AS smallint), CAST(CAST(:xid AS text) AS xid8), :seq)
ORDER BY incarnation, xid, seq
LIMIT :limit
