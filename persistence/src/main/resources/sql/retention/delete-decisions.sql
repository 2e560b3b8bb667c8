-- Reads a bounded number of rows after the last checked one, oldest first, and deletes those beyond the retention of their tenant. Rows
-- with a longer retention or a legal hold are skipped. All candidates are older than the shortest retention.
WITH days_of AS MATERIALIZED (
  SELECT tenant, CAST(body #>> '{values,DECISION_DAYS}' AS int) AS decision_days
  FROM config_document
  WHERE kind = 'LIMITS' AND project IS NULL
), seen AS MATERIALIZED (
  SELECT d.job, d.id, d.at, d.at < now() - make_interval(days => coalesce(l.decision_days, :days)::int) AS old
  FROM job_decision d
  LEFT JOIN days_of l ON l.tenant = d.tenant
  WHERE d.at >= CAST(:at AS timestamptz)
    AND (d.at, d.job, d.id) > (CAST(:at AS timestamptz), CAST(:job AS uuid), CAST(:id AS bigint))
    AND d.at < now() - make_interval(days => (SELECT least(:days, min(decision_days)) FROM days_of)::int)
  ORDER BY d.at, d.job, d.id
  LIMIT :limit
), gone AS (
  DELETE FROM job_decision d USING seen s
  WHERE s.old AND d.job = s.job AND d.id = s.id AND NOT fairlead_is_held(d.tenant, d.job, d.at)
)
SELECT at, job, id, count(*) OVER () AS seen FROM seen ORDER BY at DESC, job DESC, id DESC LIMIT 1
