SELECT project, service_name, service, name, sum(requests)::bigint AS requests, sum(prompt_tokens)::bigint AS prompt_tokens,
       sum(completion_tokens)::bigint AS completion_tokens, sum(unmetered)::bigint AS unmetered
FROM service_key_hour
WHERE tenant = :tenant AND hour >= :from AND hour < :to
GROUP BY 1, 2, 3, 4
ORDER BY 1, 2, 3, 4
