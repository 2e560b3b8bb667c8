SELECT a.attempt, sum(a.milli) AS milli, min(a.since_ms) AS since_ms
FROM job j
JOIN attempt t ON t.job = j.id AND t.live
JOIN gpu_held a ON a.attempt = t.id
WHERE j.tenant = :tenant AND j.phase IN ('QUEUED', 'PLACED', 'SUSPENDED', 'CANCELLING')
  AND j.project = coalesce(CAST(:project AS uuid), j.project)
  AND j.queue = coalesce(CAST(:queue AS uuid), j.queue)
  AND j.submitted_by = coalesce(CAST(:user AS text), j.submitted_by)
  AND (CAST(:labelKey AS text) IS NULL
       OR (SELECT l.labels ->> CAST(:labelKey AS text) FROM attempt_label l
           WHERE l.attempt = t.id ORDER BY l.from_ms DESC LIMIT 1) = :labelValue)
GROUP BY a.attempt
