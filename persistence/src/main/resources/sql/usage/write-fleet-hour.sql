INSERT INTO fleet_hour (hour_ms, cluster, pool, owner, model, capacity, bucket, milli_ms)
SELECT :hour, r.cluster, r.pool, r.owner, r.model, r.capacity, r.bucket, r.milli_ms
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  cluster uuid, pool text, owner uuid, model text, capacity text, bucket text, milli_ms bigint)
