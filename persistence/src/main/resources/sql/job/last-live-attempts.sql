SELECT last.*
FROM unnest(CAST(:jobs AS uuid[])) AS wanted (array_job)
CROSS JOIN LATERAL (
  SELECT id, job, element, number, state, cluster, epoch, created_at, started_at, ended_at, stop_cause, stop_deadline,
         checkpoint_request, failure, retired_at, checkpointed_at, launched_at, unreachable_since
  FROM attempt
  WHERE job = wanted.array_job AND live
  ORDER BY element DESC
  LIMIT 1
) AS last
ORDER BY job
