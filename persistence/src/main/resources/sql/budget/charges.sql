-- Skips budgets with a period that this version cannot read. Ends in such a period are settled once a version can read it.
SELECT c.attempt, c.budget, c.milli, coalesce(c.weight, c.milli) AS weight, c.since_ms, c.until_ms,
       coalesce(c.priced_ms, c.since_ms) AS priced_ms, CAST(coalesce(c.passed, '{}') AS text) AS passed,
       coalesce(c.exhausted_ms, 0) AS exhausted_ms
FROM budget_charge c
JOIN budget b ON b.id = c.budget
WHERE c.budget IN (SELECT unnest(CAST(:ids AS uuid[])))
  AND b.period IN (SELECT unnest(CAST(:periods AS text[])))
  AND (c.until_ms <= :now OR c.attempt IN (SELECT unnest(CAST(:attempts AS uuid[]))))
