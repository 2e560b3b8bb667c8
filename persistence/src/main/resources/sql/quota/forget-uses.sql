DELETE FROM quota_usage WHERE tenant = :tenant
