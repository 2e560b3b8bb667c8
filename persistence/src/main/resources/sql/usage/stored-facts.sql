-- Facts of an hour, or of a summed day and its hours, from one snapshot. A day without sums has no facts.
SELECT period, kind, amount, tenant, project, queue, used_by, cluster, pool, model, capacity, service, owner, detail, labels
FROM use_fact
WHERE kind IN (SELECT unnest(CAST(:kinds AS text[]))) AND period IN (SELECT unnest(CAST(:periods AS text[])))
  AND start_ms >= :from AND start_ms < :to
  AND (NOT :summed OR EXISTS (SELECT FROM usage_day_summed s WHERE s.day_ms = :from))
