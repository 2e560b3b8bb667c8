SELECT idx FROM gpu_slot WHERE node IN (SELECT unnest(CAST(:ids AS uuid[]))) ORDER BY node, idx FOR NO KEY UPDATE
