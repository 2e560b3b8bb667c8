SELECT id, spec FROM job WHERE id IN (SELECT unnest(CAST(:ids AS uuid[])))
