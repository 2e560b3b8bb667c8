DELETE FROM log_chunk AS c
USING json_to_recordset(CAST(:rows AS json)) AS r (attempt uuid, role text, idx int, incarnation int, replaced int)
WHERE c.attempt = r.attempt AND c.role = r.role AND c.idx = r.idx AND c.incarnation = r.incarnation
  AND c.sequence = r.replaced
