-- Links from the last link before the page. The first link after the position is returned regardless of its number of rows.
SELECT sequence, incarnation, CAST(CAST(xid AS text) AS bigint) AS xid, seq, at, content, previous, signature, batch
FROM audit_link
WHERE sequence >= (SELECT coalesce(max(sequence), 0) FROM audit_link WHERE sequence <= :after)
  AND sequence <= greatest(:after + :limit, (SELECT min(sequence) FROM audit_link WHERE sequence > :after))
ORDER BY sequence
