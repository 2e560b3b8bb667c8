SELECT a.id, a.cluster, a.job, j.tenant, j.project
FROM attempt a
JOIN job j ON j.id = a.job
WHERE a.id IN (SELECT unnest(CAST(:ids AS uuid[])))
ORDER BY a.id
