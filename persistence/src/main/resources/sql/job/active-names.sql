SELECT name FROM job WHERE project = :project AND active AND name IN (SELECT unnest(CAST(:names AS text[])))
