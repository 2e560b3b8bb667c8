-- The jobs are locked, so no two transactions delete rows of one in another order. Evictions and moves count together,
-- and so do losing sight of an attempt and seeing it again. What a legal hold keeps stays.
DELETE FROM job_decision AS d
USING (
  SELECT j.job, k.kinds, (
      SELECT o.id FROM job_decision o WHERE o.job = j.job AND o.kind = ANY (k.kinds)
      ORDER BY o.id DESC OFFSET k.most LIMIT 1) AS last
  FROM unnest(CAST(:jobs AS uuid[])) AS j (job)
  CROSS JOIN (VALUES
    (ARRAY['WAITED'], CAST(:waits AS bigint)),
    (ARRAY['UNSEEN', 'SEEN'], CAST(:unseen AS bigint)),
    (ARRAY['PLACED'], CAST(:others AS bigint)),
    (ARRAY['EVICTED', 'MOVED'], CAST(:others AS bigint))) AS k (kinds, most)) AS old
WHERE d.job = old.job AND d.id <= old.last AND d.kind = ANY (old.kinds)
  AND NOT fairlead_is_held(d.tenant, d.job, d.at)
