SELECT count(*) FROM (
  SELECT FROM job WHERE queue = :queue AND submitted_by = :user AND phase = 'QUEUED' LIMIT :most) AS counted
