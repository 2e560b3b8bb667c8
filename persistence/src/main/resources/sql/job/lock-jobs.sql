SELECT id, version, active FROM job WHERE id IN (SELECT unnest(CAST(:ids AS uuid[]))) ORDER BY id FOR NO KEY UPDATE
