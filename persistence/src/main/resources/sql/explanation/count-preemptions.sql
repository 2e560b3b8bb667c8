-- Only the scheduler counts, one transaction at a time. The database role of API requests cannot write this table.
INSERT INTO preemption_count AS c (queue, priority, day, model, capacity, evicted_by, tenant, times)
SELECT q.id, r.priority, (now() AT TIME ZONE 'UTC')::date, r.model, r.capacity, coalesce(r.evicted_by, ''), q.tenant, r.times
FROM json_to_recordset(CAST(:rows AS json))
  AS r (ord int, queue uuid, priority int, model text, capacity text, evicted_by text, times bigint)
JOIN quota_node q ON q.id = r.queue
ORDER BY r.ord
ON CONFLICT (queue, priority, day, model, capacity, evicted_by) DO UPDATE SET times = c.times + excluded.times
