SELECT id, job, element, number, state, cluster, epoch, created_at, started_at, ended_at, stop_cause, stop_deadline,
       checkpoint_request, failure, retired_at, checkpointed_at, launched_at, unreachable_since
FROM attempt
WHERE (failure ->> 'cause') IN ('PLACEMENT_CONFLICT', 'START_TIMEOUT', 'NODE_FAILURE', 'GPU_FAULT')
  AND NOT (failure ->> 'cause' = 'START_TIMEOUT' AND started_at IS NOT NULL)
  AND ended_at > (SELECT least(clock_timestamp(), fairlead_latest(:host))) - CAST(:seconds AS bigint) * interval '1 second'
ORDER BY ended_at DESC, id DESC
LIMIT :limit
