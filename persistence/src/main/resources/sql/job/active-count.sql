SELECT count(*) FROM job WHERE project = :project AND active
