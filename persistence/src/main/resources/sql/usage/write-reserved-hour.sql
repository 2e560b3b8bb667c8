INSERT INTO reserved_hour (hour_ms, tenant, model, bucket, milli_ms)
SELECT :hour, r.tenant, r.model, r.bucket, r.milli_ms
FROM json_to_recordset(CAST(:rows AS json)) AS r (tenant uuid, model text, bucket text, milli_ms bigint)
