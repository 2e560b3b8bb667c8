SELECT newest.job, jsonb_object_keys(newest.outputs) AS name
FROM (
  SELECT DISTINCT ON (job) job, outputs
  FROM (
    SELECT job, id, created_at, outputs
    FROM attempt
    WHERE job IN (SELECT unnest(CAST(:jobs AS uuid[])))
    UNION ALL
    SELECT x.job, x.id, x.created_at, x.outputs
    FROM job_archive_rows a, jsonb_populate_recordset(NULL::attempt, a.attempt_rows) x
    WHERE a.id IN (SELECT unnest(CAST(:jobs AS uuid[])))
  ) AS every_attempt
  ORDER BY job, created_at DESC, id DESC
) AS newest
WHERE newest.outputs IS NOT NULL
