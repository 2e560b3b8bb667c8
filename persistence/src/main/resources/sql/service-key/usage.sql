-- The page is read from an index, at any position.
SELECT name, hour, requests, prompt_tokens, completion_tokens, unmetered
FROM service_key_hour
WHERE tenant = :tenant AND service = :service AND hour >= :from AND hour < :to AND (hour, name) > (:begin, :key)
ORDER BY hour, name
LIMIT :limit
