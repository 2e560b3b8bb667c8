SELECT node, idx, serial, state, allocated_milli, slices FROM gpu_slot
WHERE node IN (SELECT unnest(CAST(:nodes AS uuid[])))
UNION ALL
SELECT g.node, g.idx, g.serial, g.state, g.allocated_milli, g.slices
FROM node_retired r, jsonb_populate_recordset(NULL::gpu_slot, r.gpu_rows) g
WHERE r.id IN (SELECT unnest(CAST(:nodes AS uuid[])))
ORDER BY node, idx
