INSERT INTO usage_label_day (day_ms, tenant, project, queue, used_by, pool, model, capacity, labels, milli_ms)
SELECT :day, h.tenant, h.project, h.queue, h.used_by, h.pool, h.model, h.capacity, h.labels, sum(h.milli_ms)
FROM usage_label_hour h
WHERE h.hour_ms >= :day AND h.hour_ms < :day + 86400000
GROUP BY h.tenant, h.project, h.queue, h.used_by, h.pool, h.model, h.capacity, h.labels
