-- Also true if the root cannot be read, because its limits are then unknown.
SELECT EXISTS (SELECT FROM quota_node WHERE tenant IS NULL AND limit_count <> 0)
    OR NOT EXISTS (SELECT FROM quota_node WHERE id = '00000000-0000-0000-0000-000000000000')
