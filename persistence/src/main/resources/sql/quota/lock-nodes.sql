SELECT id FROM quota_node WHERE tenant = :tenant ORDER BY depth, id FOR NO KEY UPDATE
