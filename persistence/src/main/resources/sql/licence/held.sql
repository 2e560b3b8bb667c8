SELECT licence AS name, sum(count) AS amount
FROM licence_hold
WHERE licence IN (SELECT asked FROM json_array_elements_text(CAST(:names AS json)) AS asked)
GROUP BY licence
