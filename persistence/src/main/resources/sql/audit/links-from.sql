SELECT sequence, incarnation, CAST(CAST(xid AS text) AS bigint) AS xid, seq, at, content, previous, signature
FROM audit_link
WHERE sequence >= :first
ORDER BY sequence
LIMIT :limit
