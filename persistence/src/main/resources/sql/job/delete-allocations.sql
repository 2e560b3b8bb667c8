DELETE FROM allocation AS a
USING json_to_recordset(CAST(:rows AS json)) AS r (attempt uuid, role text, idx int)
WHERE a.attempt = r.attempt AND a.role = r.role AND a.idx = r.idx
