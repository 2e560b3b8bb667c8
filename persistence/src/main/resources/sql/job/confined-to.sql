SELECT name FROM job
WHERE active AND spec #> '{placement,clusters}' = jsonb_build_array(CAST(:cluster AS text))
ORDER BY name
LIMIT :limit
