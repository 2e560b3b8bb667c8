INSERT INTO wait_hour (hour_ms, tenant, project, queue, reason, wait_ms)
SELECT :hour, w.tenant, w.project, w.queue, w.reason,
       sum(w.jobs * (least(coalesce(w.ended_ms, :to), :to) - greatest(w.started_ms, :hour)))::bigint AS wait_ms
FROM wait_interval w
WHERE int8range(w.started_ms, w.ended_ms) && int8range(:hour, :to)
GROUP BY w.tenant, w.project, w.queue, w.reason
