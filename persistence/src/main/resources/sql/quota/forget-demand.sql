DELETE FROM quota_demand d
WHERE NOT EXISTS (
  SELECT FROM json_to_recordset(CAST(:rows AS json)) AS r (node uuid, model text, capacity text, resource text)
  WHERE r.node = d.node AND r.model = d.model AND r.capacity = d.capacity AND r.resource = d.resource)
