SELECT id, job, element, number, state, cluster, epoch, created_at, started_at, ended_at, stop_cause, stop_deadline,
       checkpoint_request, failure, retired_at, checkpointed_at, launched_at, unreachable_since
FROM attempt
WHERE id IN (SELECT unnest(CAST(:ids AS uuid[])))
ORDER BY id
