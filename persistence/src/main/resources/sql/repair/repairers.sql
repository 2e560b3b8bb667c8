SELECT content
FROM repairer
WHERE CAST(:cluster AS uuid) IS NULL OR cluster = CAST(:cluster AS uuid)
ORDER BY cluster
