SELECT name, count AS amount
FROM licence
WHERE name IN (SELECT asked FROM json_array_elements_text(CAST(:names AS json)) AS asked)
ORDER BY name
FOR NO KEY UPDATE
