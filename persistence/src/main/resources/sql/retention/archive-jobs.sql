-- All parts of the statement see the rows before its changes: the children are read although they are deleted with the job.
WITH old AS (
  SELECT j.id FROM job j
  WHERE j.id IN (SELECT unnest(CAST(:jobs AS uuid[]))) AND NOT j.active
    AND NOT EXISTS (SELECT FROM attempt a WHERE a.job = j.id AND a.retired_at IS NULL)
  FOR UPDATE SKIP LOCKED
), gone AS (
  DELETE FROM job USING old WHERE job.id = old.id
  RETURNING job.*
)
INSERT INTO job_archive (id, tenant, project, queue, name, submitted_by, priority, gpu_milli, created_at, state, active,
                         changed_at, started_at, ended_at, attempts, failures, faults, retry_at, failure, progress, spec, labels,
                         version, element_rows, attempt_rows, member_rows)
SELECT g.id, g.tenant, g.project, g.queue, g.name, g.submitted_by, g.priority, g.gpu_milli, g.created_at, g.state, false,
       g.changed_at, g.started_at, g.ended_at, g.attempts, g.failures, g.faults, g.retry_at, g.failure, g.progress, g.spec, g.labels,
       g.version,
       coalesce((SELECT jsonb_agg(to_jsonb(e) ORDER BY e.idx) FROM job_element e WHERE e.job = g.id), '[]'),
       coalesce((SELECT jsonb_agg(to_jsonb(a) ORDER BY a.id) FROM attempt a WHERE a.job = g.id), '[]'),
       coalesce((SELECT jsonb_agg(to_jsonb(m) ORDER BY m.attempt, m.ordinal)
                 FROM member m JOIN attempt a ON a.id = m.attempt WHERE a.job = g.id), '[]')
FROM gone g
