UPDATE node AS n
SET pool = r.pool, pool_tenant = r.pool_tenant, pool_spares = r.pool_spares, version = n.version + 1
FROM json_to_recordset(CAST(:rows AS json)) AS r (id uuid, pool text, pool_tenant uuid, pool_spares text)
WHERE n.id = r.id
