INSERT INTO use_history (node, tenant, queue, used_by, milli_seconds, at)
SELECT r.node, r.tenant, r.queue, r."user", r.milli_seconds, r.at
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  node uuid, tenant uuid, queue uuid, "user" text, milli_seconds bigint, at timestamptz)
