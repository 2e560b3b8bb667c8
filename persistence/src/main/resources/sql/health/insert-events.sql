-- A burst has last_at, and its id is found again. An event that is not yet part of the row is counted at least once. Any other row is
-- unchanged.
INSERT INTO health_event AS e (cluster, id, at, received_at, node_name, node, gpu, serial, xid, message, verdict, incident, last_at, events)
SELECT :cluster, r.id, r.at, CAST(:received AS timestamptz), r.node_name, r.node, r.gpu, r.serial, r.xid, r.message, r.verdict,
       r.incident, r.last_at, r.events
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  id text, at timestamptz, node_name text, node uuid, gpu text, serial text, xid int, message text, verdict text, incident uuid,
  last_at timestamptz, events int)
ORDER BY r.id
ON CONFLICT (cluster, id) DO UPDATE
SET at = least(e.at, excluded.at), last_at = greatest(e.last_at, excluded.last_at),
    incident = coalesce(e.incident, excluded.incident),
    events = e.events + CASE WHEN excluded.at > e.last_at OR excluded.last_at < e.at THEN excluded.events ELSE 1 END
WHERE excluded.last_at > e.last_at OR excluded.at < e.at AND e.last_at IS NOT NULL
RETURNING id
