-- Counts the newest 10,000 jobs of a value. Reads one row of each value: the index of the labels is entered again behind each of them.
WITH RECURSIVE every_label AS (
  (SELECT label FROM job_label
   WHERE tenant = :tenant AND label > :after AND label < :end
   ORDER BY label LIMIT 1)
  UNION ALL
  SELECT (SELECT l.label FROM job_label l
          WHERE l.tenant = :tenant AND l.label > e.label AND l.label < :end
          ORDER BY l.label LIMIT 1)
  FROM every_label e WHERE e.label IS NOT NULL
),
page AS MATERIALIZED (
  SELECT label FROM every_label e
  WHERE label IS NOT NULL AND EXISTS (
    SELECT FROM (
      SELECT l.job FROM job_label l WHERE l.tenant = :tenant AND l.label = e.label
      ORDER BY l.job DESC LIMIT 10000
    ) l JOIN job_all j ON j.id = l.job
    WHERE j.tenant = :tenant AND j.project = :project)
  LIMIT :most
)
SELECT p.label, j.state, count(*) AS jobs
FROM page p
JOIN LATERAL (
  SELECT l.job FROM job_label l WHERE l.tenant = :tenant AND l.label = p.label
  ORDER BY l.job DESC LIMIT 10000
) l ON true
JOIN job_all j ON j.id = l.job AND j.tenant = :tenant AND j.project = :project
GROUP BY p.label, j.state
