SELECT name, date_trunc(:period, hour, 'UTC') AS hour, sum(requests)::bigint AS requests, sum(prompt_tokens)::bigint AS prompt_tokens,
  sum(completion_tokens)::bigint AS completion_tokens, sum(unmetered)::bigint AS unmetered
FROM service_key_hour
WHERE tenant = :tenant AND service = :service AND hour >= greatest(:from, :begin) AND hour < :to
  AND (date_trunc(:period, hour, 'UTC'), name) > (:begin, :key)
GROUP BY 1, 2
ORDER BY 2, 1
LIMIT :limit
