SELECT id, connection ->> 'sealed' AS sealed
FROM cluster
WHERE connection ->> 'sealed' LIKE 'v2:%'
  AND split_part(connection ->> 'sealed', ':', 2) IN (SELECT unnest(string_to_array(:others, ',')))
ORDER BY id
LIMIT :most
FOR UPDATE SKIP LOCKED
