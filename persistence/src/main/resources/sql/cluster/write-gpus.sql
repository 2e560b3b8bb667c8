INSERT INTO gpu_slot (node, idx, serial, state, quarantined)
SELECT r.node, r.idx, r.serial, CASE r.state WHEN 'QUARANTINED' THEN 'FAILED' ELSE r.state END, r.state = 'QUARANTINED'
FROM json_to_recordset(CAST(:rows AS json)) AS r (node uuid, idx int, serial text, state text)
ORDER BY r.node, r.idx
ON CONFLICT (node, idx) DO UPDATE SET serial = excluded.serial, state = excluded.state, quarantined = excluded.quarantined
WHERE (gpu_slot.serial, gpu_slot.state, gpu_slot.quarantined)
  IS DISTINCT FROM (excluded.serial, excluded.state, excluded.quarantined)
