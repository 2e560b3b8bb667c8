-- Counts the newest 10,000 jobs of each pipeline. Reads one row of each name, and searches the index again for the next name. The
-- literal bounds are those of the index. Jobs that a previous version submitted during an upgrade have no project in their labels.
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
stray AS MATERIALIZED (
  SELECT l.label, l.job FROM (
    SELECT label, job FROM job_label
    WHERE tenant = :tenant AND project IS NULL AND label > :after AND label >= 'pipeline=' AND label < 'pipeline>'
    ORDER BY label, job DESC LIMIT 10000
  ) l JOIN job_all j ON j.id = l.job AND j.tenant = :tenant AND j.project = :project
),
page AS MATERIALIZED (
  SELECT label FROM (
    (SELECT label FROM each_label WHERE label IS NOT NULL LIMIT :most)
    UNION
    SELECT label FROM stray
  ) named
  ORDER BY label LIMIT :most
)
SELECT p.label, j.state, count(*) AS jobs
FROM page p
JOIN LATERAL (
  (SELECT l.job FROM job_label l
   WHERE l.tenant = :tenant AND l.project = :project AND l.label = p.label
     AND l.label >= 'pipeline=' AND l.label < 'pipeline>'
   ORDER BY l.job DESC LIMIT 10000)
  UNION ALL
  SELECT s.job FROM stray s WHERE s.label = p.label
) l ON true
JOIN job_all j ON j.id = l.job AND j.tenant = :tenant
GROUP BY p.label, j.state
