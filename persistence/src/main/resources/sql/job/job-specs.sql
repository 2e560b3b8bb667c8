SELECT id, spec FROM job WHERE id = ANY (CAST(:ids AS uuid[]))
