INSERT INTO spill_day (day_ms, tenant, model, capacity, cause, milli_ms)
SELECT :day, h.tenant, h.model, h.capacity, h.cause, sum(h.milli_ms)
FROM spill_hour h
WHERE h.hour_ms >= :day AND h.hour_ms < :day + 86400000
GROUP BY h.tenant, h.model, h.capacity, h.cause
