-- Jobs that may be archived, oldest first, each with its number of rows. Each table is counted up to :rows.
SELECT j.id,
       1 + (SELECT count(*) FROM (SELECT FROM job_element e WHERE e.job = j.id LIMIT :rows) AS elements)
         + (SELECT count(*) FROM (SELECT FROM attempt a WHERE a.job = j.id LIMIT :rows) AS attempts)
         + (SELECT count(*) FROM (SELECT FROM attempt a JOIN member m ON m.attempt = a.id
                                  WHERE a.job = j.id LIMIT :rows) AS members) AS rows
FROM job j
WHERE NOT j.active AND j.ended_at < now() - make_interval(secs => :seconds)
  AND NOT EXISTS (SELECT FROM attempt a WHERE a.job = j.id AND a.retired_at IS NULL)
  AND j.id NOT IN (SELECT unnest(CAST(:aside AS uuid[])))
ORDER BY j.ended_at
LIMIT :rows
