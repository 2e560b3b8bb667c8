-- Ends at one running job too many; jobs that were never tried are not read.
SELECT count(*) AS running, coalesce(sum(gpu_milli), 0) AS gpu_milli
FROM (
  SELECT j.gpu_milli
  FROM job j JOIN attempt a ON a.job = j.id AND a.live
  WHERE j.queue = :queue AND j.submitted_by = :user AND j.active AND (j.attempts > 0 OR j.spec ->> 'array' IS NOT NULL)
    AND (CAST(:most AS bigint) IS NOT NULL OR j.gpu_milli > 0)
  LIMIT CAST(:most AS bigint)) AS held
