SELECT cluster, id, node_name, kind, reason, deadline, boot, withdrawn
FROM announced_notice WHERE cluster = :cluster AND node_name = :node AND deadline > :after AND NOT withdrawn
ORDER BY id
