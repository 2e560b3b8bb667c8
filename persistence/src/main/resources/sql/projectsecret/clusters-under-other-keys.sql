SELECT id, connection ->> 'sealed' AS sealed
FROM cluster
WHERE CASE
  WHEN connection ->> 'sealed' LIKE 'v2:%'
  THEN split_part(connection ->> 'sealed', ':', 2) IN (SELECT unnest(string_to_array(:others, ',')))
  ELSE :former AND connection ->> 'sealed' IS NOT NULL
END AND id > :after
ORDER BY id
LIMIT :most
FOR UPDATE SKIP LOCKED
