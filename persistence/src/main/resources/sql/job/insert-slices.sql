INSERT INTO slice_allocation (attempt, role, idx, node, milli, since_ms, pool)
SELECT r.attempt, r.role, r.idx, r.node, r.milli,
       greatest((SELECT open_ms FROM usage_watermark), (extract(epoch FROM least(clock_timestamp(), fairlead_latest(:host))) * 1000)::bigint), n.pool
FROM json_to_recordset(CAST(:rows AS json)) AS r (attempt uuid, role text, idx int, node uuid, milli int)
JOIN node n ON n.id = r.node
