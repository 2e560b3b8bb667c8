INSERT INTO quota_usage (tenant, node, model, capacity, resource, used, firm)
SELECT CAST(:tenant AS uuid), r.node, r.model, r.capacity, r.resource, r.used, r.firm
FROM json_to_recordset(CAST(:rows AS json)) AS r (node uuid, model text, capacity text, resource text, used bigint, firm bigint)
