-- A missing row in the result conflicts with another holder of the whole device.
INSERT INTO allocation (attempt, role, idx, node, gpu, milli, slices, since_ms, pool)
SELECT r.attempt, r.role, r.idx, r.node, r.gpu, r.milli, r.slices, r.since_ms, n.pool
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  attempt uuid, role text, idx int, node uuid, gpu int, milli int, slices int, since_ms bigint)
JOIN node n ON n.id = r.node
ORDER BY r.node, r.gpu
ON CONFLICT DO NOTHING
