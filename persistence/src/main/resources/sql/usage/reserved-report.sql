SELECT h.tenant, x.name AS tenant_name, h.model, h.bucket, sum(h.milli_ms)::bigint AS milli_ms
FROM reserved_hour h
LEFT JOIN tenant x ON x.id = h.tenant
WHERE h.hour_ms >= :from AND h.hour_ms < :to
  AND (CAST(:tenant AS uuid) IS NULL OR h.tenant IS NULL OR h.tenant = CAST(:tenant AS uuid))
GROUP BY 1, 2, 3, 4
ORDER BY 2 NULLS FIRST, 1, 3, 4
