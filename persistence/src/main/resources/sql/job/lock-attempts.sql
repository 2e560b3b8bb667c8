SELECT id FROM attempt WHERE id IN (SELECT unnest(CAST(:ids AS uuid[]))) ORDER BY id FOR NO KEY UPDATE
