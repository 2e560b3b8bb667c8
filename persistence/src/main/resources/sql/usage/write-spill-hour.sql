INSERT INTO spill_hour (hour_ms, tenant, model, capacity, cause, milli_ms)
SELECT :hour, r.tenant, r.model, r.capacity, r.cause, r.milli_ms
FROM json_to_recordset(CAST(:rows AS json)) AS r (tenant uuid, model text, capacity text, cause text, milli_ms bigint)
