SELECT id, cluster, job, attempt, nodes, node_names, cause, since, at
FROM hang
WHERE id = :id
