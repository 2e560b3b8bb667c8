SELECT a.node, a.gpu, a.milli, t.job, j.name, a.attempt, a.role, a.idx
FROM allocation a
JOIN attempt t ON t.id = a.attempt
JOIN job j ON j.id = t.job
WHERE a.node IN (SELECT unnest(CAST(:nodes AS uuid[]))) AND t.tenant = :tenant AND j.tenant = :tenant
  AND (:everyProject OR j.project IN (SELECT unnest(CAST(:projects AS uuid[]))))
ORDER BY a.node, a.gpu, a.attempt, a.role, a.idx
