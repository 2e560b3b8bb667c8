SELECT version, requests, bad, ready
FROM model_service_traffic
WHERE tenant = :tenant AND service = :service
ORDER BY version
