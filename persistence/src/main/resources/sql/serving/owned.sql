SELECT d.project, d.body::text AS body, s.content
FROM config_document d
JOIN model_service s ON s.kind = d.kind AND s.document = d.name
WHERE d.kind = 'MODEL_SERVICE' AND d.body -> 'owner' ->> 'cluster' = :cluster
ORDER BY d.name
