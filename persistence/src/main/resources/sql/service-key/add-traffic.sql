INSERT INTO service_gate_traffic AS old (service, version, tenant, requests, bad, millis)
SELECT s.id, r.version, s.tenant, r.requests, r.bad, r.millis
FROM jsonb_to_recordset(CAST(:rows AS jsonb)) AS r(ord int, service uuid, version int, requests bigint,
  bad bigint, millis bigint)
JOIN model_service s ON s.id = r.service
ORDER BY r.ord
ON CONFLICT (service, version) DO UPDATE
SET requests = old.requests + excluded.requests,
    bad = old.bad + excluded.bad,
    millis = old.millis + excluded.millis
