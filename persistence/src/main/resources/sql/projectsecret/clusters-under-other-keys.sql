SELECT id, connection ->> 'sealed' AS sealed
FROM cluster
WHERE split_part(connection ->> 'sealed', ':', 2) IN (SELECT unnest(string_to_array(:others, ',')))
  AND id > :after
ORDER BY id
LIMIT :most
FOR UPDATE SKIP LOCKED
