-- A run that ended because of its machine or its eviction gives no information about the run time of a job.
SELECT j.project, j.submitted_by, j.spec, a.started_at, a.ended_at
FROM (
  SELECT id, project, submitted_by, spec, ended_at FROM job
  WHERE NOT active AND ended_at > :after
  ORDER BY ended_at DESC
  LIMIT :most) AS j
CROSS JOIN LATERAL (
  SELECT started_at, ended_at FROM attempt
  WHERE job = j.id AND state IN ('SUCCEEDED', 'FAILED') AND started_at < ended_at
    AND coalesce(failure ->> 'cause', '') NOT IN ('NODE_FAILURE', 'GPU_FAULT', 'NETWORK', 'PLACEMENT_CONFLICT',
                                                  'START_TIMEOUT', 'CLUSTER_LOST')
  ORDER BY element DESC, number DESC
  LIMIT :each) AS a
ORDER BY a.ended_at
