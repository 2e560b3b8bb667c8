DELETE FROM namespace_removal
WHERE cluster = :cluster AND namespace = :namespace AND project = :project
