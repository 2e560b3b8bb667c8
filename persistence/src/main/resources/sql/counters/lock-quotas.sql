SELECT id FROM quota_node ORDER BY depth, id FOR NO KEY UPDATE
