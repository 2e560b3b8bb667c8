SELECT name FROM job
WHERE tenant = :tenant AND phase IN ('QUEUED', 'PLACED', 'SUSPENDED', 'CANCELLING') AND depends
  AND spec -> 'dependsOn' @> CAST(:dependency AS jsonb)
ORDER BY name
LIMIT 1
