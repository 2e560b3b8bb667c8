WITH missing AS (
  SELECT id
  FROM volume
  WHERE cluster = :cluster AND missing_since IS NOT NULL AND NOT loss_confirmed AND state IN ('PROVISIONING', 'BOUND')
  ORDER BY name, project
  FOR NO KEY UPDATE
)
UPDATE volume AS v
SET loss_confirmed = true
FROM missing AS m
WHERE v.id = m.id
RETURNING v.tenant
