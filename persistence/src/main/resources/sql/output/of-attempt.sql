SELECT outputs
FROM attempt
WHERE id = :attempt AND job = :job AND tenant = :tenant AND outputs IS NOT NULL
UNION ALL
SELECT x.outputs
FROM job_archive_rows a, jsonb_populate_recordset(NULL::attempt, a.attempt_rows) x
WHERE a.id = :job AND x.id = :attempt AND x.tenant = :tenant AND x.outputs IS NOT NULL
