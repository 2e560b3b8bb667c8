SELECT w.tenant, w.project, w.queue, w.reason,
       sum(w.jobs * (least(coalesce(w.ended_ms, :to), :to) - greatest(w.started_ms, :hour)))::bigint AS amount
FROM wait_interval w
WHERE int8range(w.started_ms, w.ended_ms) && int8range(:hour, :to)
GROUP BY w.tenant, w.project, w.queue, w.reason
