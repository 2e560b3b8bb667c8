SELECT at, kind, body
FROM job_decision
WHERE tenant = :tenant AND job = :job
ORDER BY at, id
LIMIT :most
