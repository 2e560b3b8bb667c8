SELECT count(*) FILTER (WHERE (-o.priority, o.created_at, o.id) <= (-j.priority, j.created_at, j.id)) AS rank,
       count(*) AS total,
       coalesce(sum(o.gpu_milli) FILTER (WHERE (-o.priority, o.created_at, o.id) < (-j.priority, j.created_at, j.id)), 0)
         AS ahead
FROM job j
JOIN job o ON o.queue = j.queue AND o.phase = 'QUEUED'
WHERE j.id = :job AND j.phase = 'QUEUED'
GROUP BY j.id
