SELECT gpu, at, kind, text, CAST(NULL AS uuid) AS incident
FROM gpu_change
WHERE gpu IN (SELECT unnest(:gpus)) AND at > :after AND kind = 'CONTRADICTED'
