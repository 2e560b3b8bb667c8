SELECT attempt, job, tenant, samples, mean, last, memory_peak_mib, joules, idle_since, since, sampled_at, warned_at,
       warned_reclaim_ms, reclaimed
FROM attempt_efficiency
WHERE tenant = :tenant AND attempt IN (SELECT unnest(CAST(:ids AS uuid[])))
ORDER BY attempt
