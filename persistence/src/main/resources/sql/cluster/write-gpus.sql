INSERT INTO gpu_slot (node, idx, serial, state)
SELECT r.node, r.idx, r.serial, r.state
FROM json_to_recordset(CAST(:rows AS json)) AS r (node uuid, idx int, serial text, state text)
ORDER BY r.node, r.idx
ON CONFLICT (node, idx) DO UPDATE SET serial = excluded.serial, state = excluded.state
WHERE (gpu_slot.serial, gpu_slot.state) IS DISTINCT FROM (excluded.serial, excluded.state)
