UPDATE service_key
SET last_used_at = used.at
FROM (
  SELECT k.service, k.name, r.at
  FROM jsonb_to_recordset(CAST(:rows AS jsonb)) AS r(ord int, service uuid, name text, at timestamptz)
  JOIN service_key k ON k.service = r.service AND k.name = r.name
  ORDER BY r.ord
  FOR NO KEY UPDATE OF k
) used
WHERE service_key.service = used.service AND service_key.name = used.name
  AND (service_key.last_used_at IS NULL OR service_key.last_used_at < used.at)
