SELECT id, specified FROM job WHERE id IN (SELECT unnest(CAST(:ids AS uuid[]))) AND specified > 0
