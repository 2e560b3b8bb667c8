SELECT name FROM cluster WHERE id = :id
UNION ALL
SELECT name FROM cluster_removed WHERE id = :id
