SELECT name
FROM job
WHERE tenant = :tenant AND project = :project AND active AND mounts
  AND spec -> 'volumes' @> jsonb_build_array(jsonb_build_object('volume', CAST(:name AS text)))
ORDER BY name
LIMIT :most
