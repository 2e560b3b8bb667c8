SELECT u.begin_ms, u.project, p.name AS project_name, u.queue, q.name AS queue_name, u.used_by, u.pool, u.model, u.capacity,
       u.milli_ms,
       to_timestamp(u.begin_ms / 1000) AT TIME ZONE 'UTC' + CAST('1 ' || :period AS interval)
         > to_timestamp((SELECT open_ms FROM usage_mark) / 1000) AT TIME ZONE 'UTC' AS preliminary
FROM (
  SELECT (extract(epoch FROM date_trunc(:period, to_timestamp(h.hour_ms / 1000), 'UTC')) * 1000)::bigint AS begin_ms,
         CASE WHEN :byPROJECT THEN h.project END AS project,
         CASE WHEN :byQUEUE THEN h.queue END AS queue,
         CASE WHEN :byUSER THEN h.used_by END AS used_by,
         CASE WHEN :byPOOL THEN h.pool END AS pool,
         CASE WHEN :byMODEL THEN h.model END AS model,
         CASE WHEN :byCAPACITY THEN h.capacity END AS capacity,
         sum(h.milli_ms)::bigint AS milli_ms
  FROM usage_hour h
  WHERE h.tenant = :tenant AND h.hour_ms >= :from AND h.hour_ms < :to
    AND (:everyProject OR h.project IN (SELECT unnest(CAST(:projects AS uuid[]))))
    AND (CAST(:user AS text) IS NULL OR h.used_by = :user)
  GROUP BY 1, 2, 3, 4, 5, 6, 7
) AS u
LEFT JOIN project p ON p.id = u.project
LEFT JOIN quota_node q ON q.id = u.queue
ORDER BY u.begin_ms, project_name, u.project, queue_name, u.queue, u.used_by, u.pool, u.model, u.capacity
LIMIT :limit
