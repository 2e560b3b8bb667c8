-- Name and version of the cluster, and the names of nodes, including retired nodes. For a removed cluster and the
-- nodes of its incidents, returns their last names.
SELECT CAST(NULL AS uuid) AS node, name, version FROM cluster WHERE id = :cluster
UNION ALL
SELECT NULL, name, 1 FROM cluster_removed WHERE id = :cluster
UNION ALL
SELECT id, name, 0 FROM node WHERE id IN (SELECT unnest(CAST(:nodes AS uuid[])))
UNION ALL
SELECT id, name, 0 FROM node_retired WHERE id IN (SELECT unnest(CAST(:nodes AS uuid[])))
UNION ALL
SELECT i.node, i.node_name, 0
FROM cluster_removed c JOIN incident i ON i.cluster = c.id
WHERE c.id = :cluster AND i.node IN (SELECT unnest(CAST(:nodes AS uuid[])))
