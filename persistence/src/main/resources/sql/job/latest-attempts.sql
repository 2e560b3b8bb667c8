SELECT DISTINCT ON (job) * FROM (
SELECT id, job, element, number, state, cluster, epoch, created_at, started_at, ended_at, stop_cause, stop_deadline,
       checkpoint_request, failure, retired_at, checkpointed_at, launched_at, unreachable_since
FROM attempt
WHERE job IN (SELECT unnest(CAST(:jobs AS uuid[])))
UNION ALL
SELECT x.id, x.job, x.element, x.number, x.state, x.cluster, x.epoch, x.created_at, x.started_at, x.ended_at,
       x.stop_cause, x.stop_deadline, x.checkpoint_request, x.failure, x.retired_at, x.checkpointed_at,
       x.launched_at, x.unreachable_since
FROM job_archive_rows a, jsonb_populate_recordset(NULL::attempt, a.attempt_rows) x
WHERE a.id IN (SELECT unnest(CAST(:jobs AS uuid[])))
) AS every_attempt
ORDER BY job, created_at DESC, id DESC
