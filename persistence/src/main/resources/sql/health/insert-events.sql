INSERT INTO health_event (cluster, id, at, received_at, node_name, node, gpu, serial, xid, message, verdict, incident)
SELECT :cluster, r.id, r.at, CAST(:received AS timestamptz), r.node_name, r.node, r.gpu, r.serial, r.xid, r.message, r.verdict,
       r.incident
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  id text, at timestamptz, node_name text, node uuid, gpu text, serial text, xid int, message text, verdict text, incident uuid)
ORDER BY r.id
ON CONFLICT (cluster, id) DO NOTHING
RETURNING id
