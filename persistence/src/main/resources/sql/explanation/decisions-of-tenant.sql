-- Decisions after a position in the order of time. Rows of other projects are read too, so that the cost of a page is bounded.
SELECT d.job, d.id, d.at, d.kind, d.body, d.expected_p50, d.expected_p90,
       coalesce(j.project, a.project) AS project, coalesce(j.name, a.name) AS name
FROM (
  SELECT job, id, at, kind, body, expected_p50, expected_p90
  FROM job_decision
  WHERE tenant = :tenant AND at >= CAST(:since AS timestamptz) AND at < CAST(:until AS timestamptz)
    AND (at, job, id) > (CAST(:at AS timestamptz), CAST(:job AS uuid), CAST(:id AS bigint))
    AND kind IN ('PLACED', 'WAITED', 'EVICTED', 'MOVED', 'UNREACHABLE', 'REACHABLE')
  ORDER BY at, job, id
  LIMIT :most) AS d
LEFT JOIN job j ON j.id = d.job
LEFT JOIN job_archive a ON j.id IS NULL AND a.id = d.job
ORDER BY d.at, d.job, d.id
