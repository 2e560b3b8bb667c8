SELECT d.project, split_part(m.document, '/', 2) AS service_name, h.service, h.name, sum(h.requests)::bigint AS requests,
       sum(h.prompt_tokens)::bigint AS prompt_tokens, sum(h.completion_tokens)::bigint AS completion_tokens,
       sum(h.unmetered)::bigint AS unmetered
FROM service_key_hour h
JOIN model_service m ON m.id = h.service
JOIN config_document d ON d.kind = m.kind AND d.name = m.document
WHERE h.tenant = :tenant AND h.hour >= :from AND h.hour < :to
GROUP BY 1, 2, 3, 4
ORDER BY 1, 2, 3, 4
