SELECT id, content
FROM advance_reservation
WHERE tenant = CAST(:tenant AS uuid)
  AND (CAST(:among AS uuid[]) IS NULL OR project IN (SELECT unnest(CAST(:among AS uuid[]))))
  AND ends > least(clock_timestamp(), fairlead_latest(:host))
ORDER BY starts, id
