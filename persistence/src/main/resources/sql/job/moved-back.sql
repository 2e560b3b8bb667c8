SELECT job.queue, count(*) AS moves
FROM attempt
JOIN job ON job.id = attempt.job
WHERE (attempt.failure ->> 'right') = 'MOVED_BACK'
  AND attempt.ended_at > (SELECT least(clock_timestamp(), fairlead_latest(:host))) - CAST(:seconds AS bigint) * interval '1 second'
GROUP BY job.queue
