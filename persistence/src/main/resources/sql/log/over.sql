-- For the largest projects, as many logs in each pass as exceed the limit of the project.
SELECT m.*
FROM (SELECT project, stored - :most AS excess FROM log_use WHERE stored > :most ORDER BY stored DESC LIMIT 100) AS u
CROSS JOIN LATERAL (
  SELECT o.*, sum(o.stored) OVER (ORDER BY o.ended_at, o.attempt, o.role, o.idx, o.incarnation) - o.stored AS earlier
  FROM (SELECT * FROM log_member e
        WHERE e.project = u.project AND e.ended_at IS NOT NULL AND e.removed IS NULL
        ORDER BY e.ended_at, e.attempt, e.role, e.idx, e.incarnation
        LIMIT :limit) AS o) AS m
WHERE m.earlier < u.excess
ORDER BY m.ended_at, m.attempt, m.role, m.idx, m.incarnation
LIMIT :limit
