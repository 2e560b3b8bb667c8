-- Stops at one running job more than the limit. Jobs that were never tried are not read. The remaining run time of a job is computed as
-- in Runtimes.demand: 2305843009213693951 stands for a job without an end.
SELECT count(*) AS running, coalesce(sum(held.gpu_milli), 0) AS gpu_milli,
       least(coalesce(sum(held.milli_millis), 0), 2305843009213693951)::bigint AS milli_millis
FROM (
  SELECT j.gpu_milli,
         CASE
           WHEN NOT :timed OR j.gpu_milli = 0 THEN 0
           WHEN ends.at IS NULL THEN 2305843009213693951
           ELSE least(2305843009213693951, j.gpu_milli * greatest(0, floor(1000 * extract(epoch FROM ends.at - clock.now))))
         END AS milli_millis
  FROM job j JOIN attempt a ON a.job = j.id AND a.live
  CROSS JOIN (SELECT least(clock_timestamp(), fairlead_latest(:host)) AS now) AS clock
  CROSS JOIN LATERAL (
    SELECT least(
      coalesce(a.started_at, clock.now)
        + coalesce(CAST(j.spec ->> 'maxRuntime' AS interval), CAST(:default_millis AS bigint) * interval '1 millisecond'),
      CAST(j.spec ->> 'deadline' AS timestamptz)) AS at) AS ends
  WHERE j.queue = :queue AND j.active
    AND (CAST(:user AS text) IS NULL OR j.submitted_by = :user)
    AND (CAST(:project AS uuid) IS NULL OR j.project = :project)
    AND (j.attempts > 0 OR j.spec ->> 'array' IS NOT NULL)
    AND (CAST(:most AS bigint) IS NOT NULL OR j.gpu_milli > 0)
  LIMIT CAST(:most AS bigint)) AS held
