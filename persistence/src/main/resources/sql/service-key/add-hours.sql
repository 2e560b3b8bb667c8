INSERT INTO service_key_hour AS old
  (service, name, hour, tenant, project, service_name, requests, prompt_tokens, completion_tokens, unmetered)
SELECT k.service, k.name, r.hour, k.tenant, d.project, split_part(m.document, '/', 2), r.requests, r.prompt_tokens, r.completion_tokens, r.unmetered
FROM jsonb_to_recordset(CAST(:rows AS jsonb)) AS r(ord int, service uuid, name text, hour timestamptz,
  requests bigint, prompt_tokens bigint, completion_tokens bigint, unmetered bigint)
JOIN service_key k ON k.service = r.service AND k.name = r.name
JOIN model_service m ON m.id = k.service
JOIN config_document d ON d.kind = m.kind AND d.name = m.document
ORDER BY r.ord
ON CONFLICT (service, name, hour) DO UPDATE
SET requests = old.requests + excluded.requests,
    prompt_tokens = old.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = old.completion_tokens + excluded.completion_tokens,
    unmetered = old.unmetered + excluded.unmetered
