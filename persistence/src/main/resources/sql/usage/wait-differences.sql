SELECT tenant, project, queue, reason, coalesce(h.wait_ms, 0)::bigint AS stored, coalesce(d.wait_ms, 0)::bigint AS due
FROM (SELECT tenant, project, queue, reason, wait_ms FROM wait_hour WHERE hour_ms = :hour) AS h
FULL JOIN (
  SELECT w.tenant, w.project, w.queue, w.reason,
         sum(w.jobs * (least(coalesce(w.ended_ms, :to), :to) - greatest(w.started_ms, :hour)))::bigint AS wait_ms
  FROM wait_interval w
  WHERE int8range(w.started_ms, w.ended_ms) && int8range(:hour, :to)
  GROUP BY w.tenant, w.project, w.queue, w.reason
) AS d USING (tenant, project, queue, reason)
WHERE h.wait_ms IS DISTINCT FROM d.wait_ms
ORDER BY tenant, project, queue, reason
