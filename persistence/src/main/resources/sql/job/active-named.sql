SELECT name, id, active FROM job
WHERE project = :project AND active AND name = ANY (CAST(:names AS text[]))
