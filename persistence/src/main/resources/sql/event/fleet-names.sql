-- Name and version of the cluster, and the names of nodes, retired ones included.
SELECT CAST(NULL AS uuid) AS node, name, version FROM cluster WHERE id = :cluster
UNION ALL
SELECT id, name, 0 FROM node WHERE id IN (SELECT unnest(CAST(:nodes AS uuid[])))
UNION ALL
SELECT id, name, 0 FROM node_retired WHERE id IN (SELECT unnest(CAST(:nodes AS uuid[])))
