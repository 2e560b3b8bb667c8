SELECT id, job, element, number, state, cluster, term, created_at, started_at, ended_at, stop_cause, stop_deadline,
       checkpoint_request, failure, retired_at, checkpointed_at, launched_at, unseen_since
FROM attempt
WHERE id IN (SELECT attempt FROM allocation WHERE node IN (SELECT unnest(CAST(:nodes AS uuid[]))))
ORDER BY id
