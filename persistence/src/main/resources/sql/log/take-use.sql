UPDATE log_use AS u SET stored = greatest(0, u.stored - s.gone)
FROM (
  SELECT m.project, sum(m.stored) AS gone
  FROM log_member m
  JOIN json_to_recordset(CAST(:rows AS json)) AS r (attempt uuid, role text, idx int, incarnation int)
    ON m.attempt = r.attempt AND m.role = r.role AND m.idx = r.idx AND m.incarnation = r.incarnation
  WHERE m.removed IS NULL
  GROUP BY m.project) AS s
WHERE u.project = s.project
