SELECT service, name, minute, requests, tokens
FROM service_key_minute
WHERE minute = :minute
ORDER BY service, name
