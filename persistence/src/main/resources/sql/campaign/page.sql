SELECT content
FROM campaign
WHERE CAST(:before AS uuid) IS NULL OR id < CAST(:before AS uuid)
ORDER BY id DESC
LIMIT :limit
