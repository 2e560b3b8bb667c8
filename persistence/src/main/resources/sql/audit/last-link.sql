SELECT sequence, incarnation, CAST(CAST(xid AS text) AS bigint) AS xid, seq, at, content, previous, signature, batch
FROM audit_link
ORDER BY sequence DESC
LIMIT 1
