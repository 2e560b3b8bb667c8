-- Counts the newest 10,000 jobs of each pipeline. Reads one row of each name, and searches the index again for the next name. The
-- literal bounds are those of the index.
WITH RECURSIVE each_label AS (
  (SELECT label FROM job_label
   WHERE tenant = :tenant AND project = :project AND label > :after AND label >= 'pipeline=' AND label < 'pipeline>'
   ORDER BY label LIMIT 1)
  UNION ALL
  SELECT (SELECT l.label FROM job_label l
          WHERE l.tenant = :tenant AND l.project = :project AND l.label > e.label
            AND l.label >= 'pipeline=' AND l.label < 'pipeline>'
          ORDER BY l.label LIMIT 1)
  FROM each_label e WHERE e.label IS NOT NULL
),
page AS MATERIALIZED (
  SELECT label FROM each_label WHERE label IS NOT NULL LIMIT :most
)
SELECT p.label, j.state, count(*) AS jobs
FROM page p
JOIN LATERAL (
  SELECT l.job FROM job_label l
  WHERE l.tenant = :tenant AND l.project = :project AND l.label = p.label
    AND l.label >= 'pipeline=' AND l.label < 'pipeline>'
  ORDER BY l.job DESC LIMIT 10000
) l ON true
JOIN job_all j ON j.id = l.job AND j.tenant = :tenant
GROUP BY p.label, j.state
