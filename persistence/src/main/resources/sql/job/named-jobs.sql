SELECT wanted.name, found.id, found.active
FROM unnest(CAST(:names AS text[])) AS wanted (name)
CROSS JOIN LATERAL (
  SELECT id, active, created_at FROM job
  WHERE tenant = :tenant AND project = :project AND name = wanted.name AND active
  UNION ALL
  (SELECT id, active, created_at FROM job
   WHERE tenant = :tenant AND project = :project AND name = wanted.name AND NOT active
   ORDER BY created_at DESC LIMIT :most)
  UNION ALL
  (SELECT id, active, created_at FROM job_archive
   WHERE tenant = :tenant AND project = :project AND name = wanted.name
   ORDER BY created_at DESC LIMIT :most)
) AS found
ORDER BY wanted.name, found.created_at DESC, found.id DESC
