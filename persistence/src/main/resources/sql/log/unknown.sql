SELECT r.ord
FROM json_to_recordset(CAST(:rows AS json)) AS r (ord int, attempt uuid, role text, idx int, incarnation int, sequence int,
                                                    nonce bigint)
WHERE NOT EXISTS (
  SELECT FROM log_chunk c
  WHERE c.attempt = r.attempt AND c.role = r.role AND c.idx = r.idx AND c.incarnation = r.incarnation
    AND c.sequence = r.sequence AND c.nonce = r.nonce)
  AND NOT EXISTS (
  SELECT FROM log_member m
  WHERE m.attempt = r.attempt AND m.role = r.role AND m.idx = r.idx AND m.incarnation = r.incarnation
    AND m.sequence = r.sequence AND m.part_nonce = r.nonce)
ORDER BY r.ord
