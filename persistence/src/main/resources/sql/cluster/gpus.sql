SELECT node, idx, serial, CASE WHEN quarantined THEN 'QUARANTINED' ELSE state END AS state, allocated_milli, slices
FROM gpu_slot
WHERE node IN (SELECT unnest(CAST(:nodes AS uuid[])))
UNION ALL
SELECT g.node, g.idx, g.serial, CASE WHEN g.quarantined THEN 'QUARANTINED' ELSE g.state END, g.allocated_milli, g.slices
FROM node_retired r, jsonb_populate_recordset(NULL::gpu_slot, r.gpu_rows) g
WHERE r.id IN (SELECT unnest(CAST(:nodes AS uuid[])))
ORDER BY node, idx
