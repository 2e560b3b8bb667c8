-- One index lookup for each job. As a condition, the list of jobs would be scanned for each attempt while the statistics show few
-- attempts.
SELECT found.*
FROM unnest(CAST(:jobs AS uuid[])) AS wanted (id)
CROSS JOIN LATERAL (
  SELECT id, job, element, number, state, cluster, epoch, created_at, started_at, ended_at, stop_cause, stop_deadline,
         checkpoint_request, failure, retired_at, checkpointed_at, launched_at, unreachable_since
  FROM attempt
  WHERE job = wanted.id AND live
  OFFSET 0
) AS found
ORDER BY job, element, number
