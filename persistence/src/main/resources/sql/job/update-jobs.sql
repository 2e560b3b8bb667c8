-- Guards: the version is the one that was read; what has ended keeps its state.
UPDATE job
SET state = r.state, changed_at = r.changed_at, started_at = r.started_at, ended_at = r.ended_at, attempts = r.attempts,
    failures = r.failures, retry_at = r.retry_at, failure = r.failure, progress = r.progress, version = r.version
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  id uuid, before bigint, state text, changed_at timestamptz, started_at timestamptz, ended_at timestamptz,
  attempts int, failures int, retry_at timestamptz, failure jsonb, progress jsonb, version bigint)
WHERE job.id = r.id AND job.version = r.before AND (job.active OR job.state = r.state)
RETURNING job.id
