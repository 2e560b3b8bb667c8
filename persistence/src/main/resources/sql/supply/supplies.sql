SELECT content
FROM pool_supply
WHERE CAST(:pool AS uuid) IS NULL OR pool = CAST(:pool AS uuid)
ORDER BY pool
