SELECT c.sequence, c.nonce, c.from_at, c.to_at, c.lines, c.bytes, c.stored, c.gap FROM log_chunk c
WHERE c.tenant = :tenant AND c.attempt = :attempt AND c.role = :role AND c.idx = :idx AND c.incarnation = :incarnation
ORDER BY c.sequence
