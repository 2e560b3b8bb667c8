-- A missing row in the result conflicts with another holder of the whole device. The locks of the slots exclude other writers, so no
-- holder appears between the look and the insert. ON CONFLICT would confirm each insert in the log.
INSERT INTO allocation (attempt, role, idx, node, gpu, milli, slices, since_ms, pool)
SELECT r.attempt, r.role, r.idx, r.node, r.gpu, r.milli, r.slices, r.since_ms, n.pool
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  attempt uuid, role text, idx int, node uuid, gpu int, milli int, slices int, since_ms bigint)
JOIN node n ON n.id = r.node
WHERE NOT EXISTS (
    SELECT FROM allocation a WHERE a.node = r.node AND a.gpu = r.gpu AND (CASE WHEN a.milli = 1000 THEN true END) = (r.milli = 1000))
  AND NOT EXISTS (
    SELECT FROM allocation a WHERE a.attempt = r.attempt AND a.role = r.role AND a.idx = r.idx AND a.gpu = r.gpu)
ORDER BY r.node, r.gpu
