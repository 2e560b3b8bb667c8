-- The jobs are locked, so two transactions never delete rows of the same job in different orders. Evictions and moves count together, and
-- so do the loss and the return of contact with an attempt. Decisions under a legal hold remain.
DELETE FROM job_decision AS d
USING (
  SELECT j.job, k.kinds, (
      SELECT o.id FROM job_decision o WHERE o.job = j.job AND o.kind = ANY (k.kinds)
      ORDER BY o.id DESC OFFSET k.most LIMIT 1) AS last
  FROM unnest(CAST(:jobs AS uuid[])) AS j (job)
  CROSS JOIN (VALUES
    (ARRAY['WAITED'], CAST(:waits AS bigint)),
    (ARRAY['UNREACHABLE', 'REACHABLE'], CAST(:unreachable AS bigint)),
    (ARRAY['PLACED'], CAST(:others AS bigint)),
    (ARRAY['EVICTED', 'MOVED'], CAST(:others AS bigint))) AS k (kinds, most)) AS old
WHERE d.job = old.job AND d.id <= old.last AND d.kind = ANY (old.kinds)
  AND NOT fairlead_is_held(d.tenant, d.job, d.at)
