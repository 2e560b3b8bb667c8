SELECT count(*) FROM (SELECT FROM job WHERE tenant = :tenant AND active LIMIT :most) AS counted
