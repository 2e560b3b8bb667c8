UPDATE node AS n
SET pool = r.pool, pool_tenant = r.pool_tenant, pool_spares = r.pool_spares, pool_windows = r.pool_windows,
    version = n.version + 1
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  id uuid, pool text, pool_tenant uuid, pool_spares text, pool_windows text)
WHERE n.id = r.id
