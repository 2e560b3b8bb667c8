WITH changing AS (
  SELECT f.uid, m.uid IS NOT NULL AS missing
  FROM front_job AS f
  LEFT JOIN json_array_elements_text(CAST(:uids AS json)) AS m (uid) ON m.uid = f.uid
  WHERE f.cluster = :cluster AND (f.missing_since IS NOT NULL) <> (m.uid IS NOT NULL)
  ORDER BY f.uid
  FOR UPDATE OF f
)
UPDATE front_job AS f
SET missing_since = CASE WHEN c.missing THEN CAST(:now AS timestamptz) END, loss_confirmed = false
FROM changing AS c
WHERE f.cluster = :cluster AND f.uid = c.uid
