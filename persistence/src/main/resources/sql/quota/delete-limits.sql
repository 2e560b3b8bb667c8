DELETE FROM quota_limit WHERE node = :node
