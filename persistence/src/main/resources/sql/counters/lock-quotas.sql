SELECT id FROM quota_node ORDER BY tenant IS NULL, depth, id FOR NO KEY UPDATE
