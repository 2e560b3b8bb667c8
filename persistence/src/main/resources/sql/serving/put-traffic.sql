INSERT INTO model_service_traffic AS old
  (service, version, cluster, tenant, requests, bad, raw_requests, raw_bad, ready)
SELECT s.id, :version, :cluster, s.tenant, :requests, :bad, :requests, :bad, CAST(:ready AS uuid[])
FROM model_service s
WHERE s.id = :service
ON CONFLICT (service, version, cluster) DO UPDATE
SET requests = old.requests + CASE WHEN excluded.raw_requests >= old.raw_requests
                                   THEN excluded.raw_requests - old.raw_requests ELSE excluded.raw_requests END,
    bad = old.bad + CASE WHEN excluded.raw_requests >= old.raw_requests
                         THEN greatest(0, excluded.raw_bad - old.raw_bad) ELSE excluded.raw_bad END,
    raw_requests = excluded.raw_requests,
    raw_bad = excluded.raw_bad,
    ready = excluded.ready
