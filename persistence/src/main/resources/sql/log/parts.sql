SELECT c.sequence, c.nonce, c.from_at, c.to_at, c.lines, c.bytes, c.stored, c.gap FROM log_chunk c
WHERE c.tenant = :tenant AND c.attempt = :attempt AND c.role = :role AND c.idx = :idx AND c.incarnation = :incarnation
UNION ALL
SELECT m.sequence, m.part_nonce, m.part_from, m.part_to, m.part_lines, m.part_bytes, m.part_stored, m.part_gap FROM log_member m
WHERE m.tenant = :tenant AND m.attempt = :attempt AND m.role = :role AND m.idx = :idx AND m.incarnation = :incarnation
  AND m.part_nonce IS NOT NULL
ORDER BY sequence
