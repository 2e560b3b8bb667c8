SELECT count(*) AS attempts, coalesce(sum((reclaimed ->> 'idleGpuHours')::double precision), 0) AS idle,
       coalesce(sum((reclaimed ->> 'returnedGpuHours')::double precision), 0) AS returned
FROM attempt_efficiency
WHERE tenant = :tenant AND reclaimed IS NOT NULL
