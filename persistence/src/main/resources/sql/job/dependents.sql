SELECT name FROM job
WHERE active AND depends AND tenant = :tenant AND spec -> 'dependsOn' @> CAST(:dependency AS jsonb)
ORDER BY name
LIMIT 1
