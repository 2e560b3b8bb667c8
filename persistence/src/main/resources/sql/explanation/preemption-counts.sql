SELECT model, capacity, nullif(evicted_by, '') AS evicted_by, sum(times) AS times
FROM preemption_count
WHERE tenant = :tenant AND queue = :queue AND priority = :priority
  AND day > (now() AT TIME ZONE 'UTC')::date - CAST(:days AS int)
GROUP BY model, capacity, preemption_count.evicted_by
ORDER BY model, capacity, preemption_count.evicted_by
