-- A missing row in the result conflicts with a live attempt of the same job and element. The lock of the job excludes other writers, so
-- no such attempt appears between the check and the insert. ON CONFLICT would confirm each insert in the log.
INSERT INTO attempt (id, job, element, number, tenant, state, cluster, epoch, created_at, started_at, ended_at, stop_cause,
                     stop_deadline, checkpoint_request, failure, retired_at, checkpointed_at, launched_at, unreachable_since)
SELECT r.id, r.job, r.element, r.number, r.tenant, r.state, r.cluster, r.epoch, r.created_at, r.started_at, r.ended_at,
       r.stop_cause, r.stop_deadline, r.checkpoint_request, r.failure, r.retired_at, r.checkpointed_at, r.launched_at,
       r.unreachable_since
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  id uuid, job uuid, element int, number int, tenant uuid, state text, cluster uuid, epoch bigint, created_at timestamptz,
  started_at timestamptz, ended_at timestamptz, stop_cause text, stop_deadline timestamptz,
  checkpoint_request jsonb, failure jsonb,
  retired_at timestamptz, checkpointed_at timestamptz, launched_at timestamptz,
  unreachable_since timestamptz)
WHERE NOT EXISTS (SELECT FROM attempt a WHERE a.job = r.job AND a.element = r.element AND a.live)
  AND NOT EXISTS (SELECT FROM attempt a WHERE a.job = r.job AND a.element = r.element AND a.number = r.number)
  AND NOT EXISTS (SELECT FROM attempt a WHERE a.id = r.id)
ORDER BY r.id
RETURNING id
