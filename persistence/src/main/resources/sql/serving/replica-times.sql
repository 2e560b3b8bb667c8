-- Closed intervals of the replicas of a service, and what its present replicas hold, by span.
WITH spans AS (
  SELECT n - 1 AS span, from_ms, coalesce(lead(from_ms) OVER (ORDER BY n), :to) AS to_ms
  FROM unnest(CAST(:begins AS bigint[])) WITH ORDINALITY AS b (from_ms, n)
), held AS (
  SELECT i.cluster, i.pool, i.model, i.capacity, (SELECT sum(m) FROM unnest(i.milli) AS m) AS milli, i.started_ms, i.ended_ms
  FROM usage_interval i
  WHERE i.tenant = :tenant AND i.service = :service AND i.ended_ms > :from AND i.started_ms < :to
  UNION ALL
  SELECT t.cluster, h.pool, m.model, m.capacity, h.milli, h.since_ms, :to
  FROM unnest(CAST(:jobs AS uuid[])) AS j (id)
  JOIN attempt t ON t.job = j.id AND t.live
  JOIN member m ON m.attempt = t.id
  JOIN gpu_held h ON h.attempt = m.attempt AND h.role = m.role AND h.idx = m.idx
  WHERE t.tenant = :tenant AND h.since_ms < :to
)
SELECT s.span, h.cluster, coalesce(h.pool, '') AS pool, h.model, h.capacity,
       sum(h.milli * (least(h.ended_ms, s.to_ms) - greatest(h.started_ms, s.from_ms)))::bigint AS milli_ms
FROM held h
JOIN spans s ON h.ended_ms > s.from_ms AND h.started_ms < least(s.to_ms, :to)
GROUP BY 1, 2, 3, 4, 5
