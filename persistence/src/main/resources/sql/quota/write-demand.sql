INSERT INTO quota_demand AS d (node, tenant, model, capacity, resource, amount)
SELECT n.id, n.tenant, r.model, r.capacity, r.resource, r.amount
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  node uuid, model text, capacity text, resource text, amount bigint)
JOIN quota_node n ON n.id = r.node
ORDER BY n.id, r.model, r.capacity, r.resource
ON CONFLICT (node, model, capacity, resource) DO UPDATE SET amount = excluded.amount WHERE d.amount <> excluded.amount
