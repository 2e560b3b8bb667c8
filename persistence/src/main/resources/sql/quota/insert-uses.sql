INSERT INTO quota_usage (tenant, node, model, capacity, resource, used)
SELECT :tenant, r.node, r.model, r.capacity, r.resource, r.used
FROM json_to_recordset(CAST(:rows AS json)) AS r (node uuid, model text, capacity text, resource text, used bigint)
