SELECT u.*, p.name AS project_name, q.name AS queue_name,
       to_timestamp(u.begin_ms / 1000) AT TIME ZONE 'UTC' + CAST('1 ' || :period AS interval)
         > to_timestamp((SELECT open_ms FROM usage_watermark) / 1000) AT TIME ZONE 'UTC' AS preliminary
FROM (
  SELECT (extract(epoch FROM date_trunc(:period, to_timestamp(h.hour_ms / 1000), 'UTC')) * 1000)::bigint AS begin_ms,
         CASE WHEN :byPROJECT THEN h.project END AS project,
         CASE WHEN :byQUEUE THEN h.queue END AS queue,
         CASE WHEN :byCAUSE THEN h.reason END AS reason,
         sum(h.wait_ms)::bigint AS wait_ms
  FROM wait_hour h
  WHERE h.tenant = :tenant AND h.hour_ms >= :from AND h.hour_ms < :to
    AND (:everyProject OR h.project IN (SELECT unnest(CAST(:projects AS uuid[]))))
  GROUP BY 1, 2, 3, 4
  LIMIT :limit
) AS u
LEFT JOIN project p ON p.id = u.project
LEFT JOIN quota_node q ON q.id = u.queue
ORDER BY u.begin_ms, project_name, u.project, queue_name, u.queue, u.reason
