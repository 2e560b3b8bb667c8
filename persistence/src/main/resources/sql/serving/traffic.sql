SELECT version, requests, bad, millis, counted_at, ready, readings
FROM model_service_traffic
WHERE tenant = :tenant AND service = :service
UNION ALL
SELECT version, requests, bad, millis, NULL, '{}', '[]'
FROM service_gate_traffic
WHERE tenant = :tenant AND service = :service
ORDER BY version
