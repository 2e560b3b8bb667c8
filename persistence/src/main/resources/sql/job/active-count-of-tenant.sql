-- By phase, because no index of active jobs begins with the tenant.
SELECT count(*) FROM (
  SELECT FROM job WHERE tenant = :tenant AND phase IN ('QUEUED', 'PLACED', 'SUSPENDED', 'CANCELLING') LIMIT :most) AS counted
