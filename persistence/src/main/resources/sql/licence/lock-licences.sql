SELECT name, CAST(body ->> 'count' AS bigint) AS amount
FROM config_document
WHERE kind = 'LICENCE' AND name IN (SELECT asked FROM json_array_elements_text(CAST(:names AS json)) AS asked)
ORDER BY name
FOR NO KEY UPDATE
