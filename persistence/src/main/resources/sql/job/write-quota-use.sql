INSERT INTO quota_usage (node, tenant, model, capacity, resource, used, firm)
SELECT r.node, r.tenant, r.model, r.capacity, r.resource, r.used, r.firm
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  node uuid, tenant uuid, model text, capacity text, resource text, used bigint, firm bigint)
ORDER BY r.node, r.model, r.capacity, r.resource
ON CONFLICT (node, model, capacity, resource) DO UPDATE SET used = excluded.used, firm = excluded.firm
