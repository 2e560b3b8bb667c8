SELECT id, content FROM booking WHERE id IN (SELECT unnest(CAST(:ids AS uuid[])))
