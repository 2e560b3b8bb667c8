SELECT date_trunc(:period, hour, 'UTC') AS begin, sum(prompt_tokens + completion_tokens)::bigint AS tokens
FROM service_key_hour
WHERE tenant = :tenant AND service = :service AND hour >= :from AND hour < :to
GROUP BY 1
