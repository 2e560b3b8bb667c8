-- Guards: the version is the version that was read, and an ended job retains its state. The caller locked the rows before it read "lived",
-- so a job that ends here is counted in the tally.
WITH changed AS (
  UPDATE job
  SET state = r.state, changed_at = r.changed_at, started_at = r.started_at, ended_at = r.ended_at, attempts = r.attempts,
      failures = r.failures, faults = r.faults, retry_at = r.retry_at, failure = r.failure, progress = r.progress,
      checks = r.checks, version = r.version
  FROM json_to_recordset(CAST(:rows AS json)) AS r (
    id uuid, before bigint, lived boolean, state text, changed_at timestamptz, started_at timestamptz, ended_at timestamptz,
    attempts int, failures int, faults int, retry_at timestamptz, failure jsonb, progress jsonb, checks jsonb, version bigint)
  WHERE job.id = r.id AND job.version = r.before AND (job.active OR job.state = r.state)
  RETURNING job.id, job.tenant, job.project, job.queue, job.state, job.submitted_by, job.gpu_milli,
            r.lived AND NOT job.active AS ended
), told AS (
  INSERT INTO job_tally (tenant, project, queue, state, submitted_by, jobs, gpu_milli)
  SELECT tenant, project, queue, state, submitted_by, count(*), sum(gpu_milli)
  FROM changed WHERE ended
  GROUP BY tenant, project, queue, state, submitted_by
)
SELECT id FROM changed
