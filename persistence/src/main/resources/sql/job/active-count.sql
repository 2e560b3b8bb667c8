SELECT count(*) FROM (SELECT FROM job WHERE project = :project AND active LIMIT :most) AS counted
