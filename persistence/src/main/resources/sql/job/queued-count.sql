SELECT count(*) FROM (
  SELECT FROM job
  WHERE tenant = :tenant AND queue = :queue AND submitted_by = :user AND phase = 'QUEUED'
  LIMIT :most) AS counted
