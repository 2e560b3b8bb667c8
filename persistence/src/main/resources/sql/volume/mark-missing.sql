WITH changing AS (
  SELECT v.id, m.id IS NOT NULL AS missing
  FROM volume AS v
  LEFT JOIN json_array_elements_text(CAST(:ids AS json)) AS m (id) ON CAST(m.id AS uuid) = v.id
  WHERE v.cluster = :cluster AND (v.missing_since IS NOT NULL) <> (m.id IS NOT NULL)
  ORDER BY v.name, v.project
  FOR NO KEY UPDATE OF v
)
UPDATE volume AS v
SET missing_since = CASE WHEN c.missing THEN CAST(:now AS timestamptz) END, loss_confirmed = false
FROM changing AS c
WHERE v.id = c.id
