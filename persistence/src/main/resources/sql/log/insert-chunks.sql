INSERT INTO log_chunk (attempt, role, idx, incarnation, sequence, nonce, tenant, from_at, to_at, lines, bytes, stored, gap)
SELECT r.attempt, r.role, r.idx, r.incarnation, r.sequence, r.nonce, r.tenant, r.from_at, r.to_at, r.lines, r.bytes,
       r.stored, r.gap
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  attempt uuid, role text, idx int, incarnation int, sequence int, nonce bigint, tenant uuid, from_at timestamptz,
  to_at timestamptz, lines bigint, bytes bigint, stored bigint, gap text, ord int)
ORDER BY r.ord
