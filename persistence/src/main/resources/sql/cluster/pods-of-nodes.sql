-- Includes retired nodes: a node that its cluster does not show may still run its pods.
SELECT id, allocated_pods
FROM node
WHERE id IN (SELECT unnest(CAST(:ids AS uuid[]))) AND allocated_pods > 0
