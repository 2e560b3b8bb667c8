SELECT id, state
FROM attempt
WHERE id IN (
  SELECT id FROM attempt
  WHERE cluster = :cluster AND retired_at IS NULL AND state NOT IN ('PULLING', 'RUNNING', 'UNKNOWN')
  UNION ALL
  SELECT a.id FROM job j JOIN attempt a ON a.job = j.id
  WHERE j.state IN ('CANCELLING', 'SUSPENDED')
    AND a.cluster = :cluster AND a.retired_at IS NULL AND a.state IN ('PULLING', 'RUNNING', 'UNKNOWN')
  UNION ALL
  SELECT a.id FROM member m JOIN attempt a ON a.id = m.attempt
  WHERE m.standing IN ('JOINING', 'LEAVING')
    AND a.cluster = :cluster AND a.retired_at IS NULL AND a.state IN ('PULLING', 'RUNNING', 'UNKNOWN'))
ORDER BY id
LIMIT :limit
