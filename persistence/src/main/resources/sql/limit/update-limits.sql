UPDATE tenant_limits
SET active_jobs = :activeJobs, projects = :projects, requests_per_minute = :requests, spec_bytes = :specBytes,
    version = :version
WHERE place = :place AND version = :version - 1
