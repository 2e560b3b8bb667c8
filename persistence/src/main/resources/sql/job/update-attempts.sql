-- Guards: an ended attempt retains its state, and an attempt that releases must still hold. A retirement does not raise the
-- version of the job. So a writer that read the attempt before does not undo it, and it is not repeated.
UPDATE attempt AS a
SET state = r.state, started_at = r.started_at, ended_at = r.ended_at, stop_cause = r.stop_cause,
    stop_deadline = r.stop_deadline, checkpoint_request = r.checkpoint_request, failure = r.failure, retired_at = coalesce(a.retired_at, r.retired_at),
    checkpointed_at = r.checkpointed_at, launched_at = r.launched_at, unreachable_since = r.unreachable_since
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  id uuid, releases boolean, state text, started_at timestamptz, ended_at timestamptz, stop_cause text,
  stop_deadline timestamptz, checkpoint_request jsonb, failure jsonb, retired_at timestamptz, checkpointed_at timestamptz, launched_at timestamptz,
  unreachable_since timestamptz)
WHERE a.id = r.id AND (a.live OR a.state = r.state AND NOT r.releases)
  AND (a.retired_at IS NULL OR coalesce(r.retired_at, a.retired_at) = a.retired_at)
RETURNING a.id
