SELECT p.seq, p.from_month, p.idle, p.out_of_service, p.recorded_by, p.recorded_at, w.key AS tenant, CAST(w.value AS bigint) AS weight
FROM idle_cost_policy p
LEFT JOIN jsonb_each_text(p.weights) w ON true
ORDER BY p.seq, w.key
