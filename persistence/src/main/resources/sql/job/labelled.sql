-- Reads one row of each value: the index of the labels is entered again behind each of them.
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
    SELECT FROM job_label l JOIN job_all j ON j.id = l.job
    WHERE l.tenant = :tenant AND l.label = e.label AND j.tenant = :tenant AND j.project = :project)
  LIMIT :most
)
SELECT p.label, j.state, count(*) AS jobs
FROM page p
JOIN job_label l ON l.tenant = :tenant AND l.label = p.label
JOIN job_all j ON j.id = l.job AND j.tenant = :tenant AND j.project = :project
GROUP BY p.label, j.state
