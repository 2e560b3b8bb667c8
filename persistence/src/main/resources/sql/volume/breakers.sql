SELECT missing.cluster, missing.volumes, missing.since,
  (SELECT count(*) FROM volume AS v WHERE v.cluster = missing.cluster AND v.state IN ('PROVISIONING', 'BOUND')) AS claims
FROM (
  SELECT cluster, count(*) AS volumes, min(missing_since) AS since
  FROM volume
  WHERE missing_since IS NOT NULL AND NOT loss_confirmed AND state IN ('PROVISIONING', 'BOUND')
  GROUP BY cluster
) AS missing
