INSERT INTO announced_notice (cluster, id, node_name, kind, reason, deadline, boot, withdrawn)
VALUES (:cluster, :id, :node, :kind, :reason, :deadline, :boot, :withdrawn)
ON CONFLICT (cluster, id) DO UPDATE SET
  node_name = excluded.node_name, kind = excluded.kind, reason = excluded.reason, deadline = excluded.deadline,
  boot = excluded.boot, withdrawn = excluded.withdrawn
