-- A missing row in the result conflicts with a live attempt of the same job and element.
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
ORDER BY r.id
ON CONFLICT DO NOTHING
RETURNING id
