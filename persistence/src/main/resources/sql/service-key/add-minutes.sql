INSERT INTO service_key_minute AS old (service, name, minute, tenant, requests, tokens)
SELECT k.service, k.name, r.minute, k.tenant, r.requests, r.tokens
FROM jsonb_to_recordset(CAST(:rows AS jsonb)) AS r(ord int, service uuid, name text, minute timestamptz,
  requests bigint, tokens bigint)
JOIN service_key k ON k.service = r.service AND k.name = r.name
ORDER BY r.ord
ON CONFLICT (service, name, minute) DO UPDATE
SET requests = old.requests + excluded.requests,
    tokens = old.tokens + excluded.tokens
