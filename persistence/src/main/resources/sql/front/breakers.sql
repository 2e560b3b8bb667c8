SELECT missing.cluster, missing.jobs, missing.since, (SELECT count(*) FROM front_job AS f WHERE f.cluster = missing.cluster) AS taken
FROM (
  SELECT cluster, count(*) AS jobs, min(missing_since) AS since
  FROM front_job
  WHERE missing_since IS NOT NULL AND NOT loss_confirmed
  GROUP BY cluster
) AS missing
