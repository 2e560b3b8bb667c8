SELECT tenant, version FROM quota_node WHERE id = :id
