SELECT node, idx, serial, state, allocated_milli, slices FROM gpu_slot
WHERE node IN (SELECT unnest(CAST(:nodes AS uuid[])))
ORDER BY node, idx
