SELECT count(*) FROM (SELECT FROM job_label WHERE tenant = :tenant AND label = :label LIMIT :most) AS labelled
