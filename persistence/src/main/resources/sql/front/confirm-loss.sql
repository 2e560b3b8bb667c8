WITH missing AS (
  SELECT uid
  FROM front_job
  WHERE cluster = :cluster AND missing_since IS NOT NULL AND NOT loss_confirmed
  ORDER BY uid
  FOR UPDATE
)
UPDATE front_job AS f
SET loss_confirmed = true
FROM missing AS m
WHERE f.cluster = :cluster AND f.uid = m.uid
RETURNING f.tenant
