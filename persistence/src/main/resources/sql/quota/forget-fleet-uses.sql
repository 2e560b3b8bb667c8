DELETE FROM quota_usage WHERE tenant IS NULL
