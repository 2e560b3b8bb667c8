-- Guard: an ended element retains its state.
INSERT INTO job_element AS e (job, idx, tenant, state, changed_at, started_at, ended_at, attempts, failures, faults,
                              retry_at, failure)
SELECT r.job, r.idx, r.tenant, r.state, r.changed_at, r.started_at, r.ended_at, r.attempts, r.failures, r.faults,
       r.retry_at, r.failure
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  job uuid, idx int, tenant uuid, state text, changed_at timestamptz, started_at timestamptz, ended_at timestamptz,
  attempts int, failures int, faults int, retry_at timestamptz, failure jsonb)
ORDER BY r.job, r.idx
ON CONFLICT (job, idx) DO UPDATE
SET state = excluded.state, changed_at = excluded.changed_at, started_at = excluded.started_at,
    ended_at = excluded.ended_at, attempts = excluded.attempts, failures = excluded.failures,
    faults = excluded.faults, retry_at = excluded.retry_at, failure = excluded.failure
WHERE e.state NOT IN ('SUCCEEDED', 'FAILED', 'CANCELLED') OR e.state = excluded.state
RETURNING e.job || '/' || e.idx
