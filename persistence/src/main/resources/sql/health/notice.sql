SELECT cluster, id, node_name, kind, reason, deadline, boot, withdrawn
FROM announced_notice WHERE cluster = :cluster AND id = :id
