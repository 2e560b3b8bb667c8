UPDATE log_member AS m
SET removed = :why, stored = 0, part_nonce = NULL, part_from = NULL, part_to = NULL, part_lines = NULL, part_bytes = NULL,
    part_stored = NULL, part_gap = NULL
FROM json_to_recordset(CAST(:rows AS json)) AS r (attempt uuid, role text, idx int, incarnation int)
WHERE m.attempt = r.attempt AND m.role = r.role AND m.idx = r.idx AND m.incarnation = r.incarnation
