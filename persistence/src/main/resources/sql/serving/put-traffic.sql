INSERT INTO model_service_traffic AS old
  (service, version, cluster, tenant, requests, bad, millis, raw_requests, raw_bad, raw_millis,
   counted_at, ready, readings)
SELECT s.id, :version, :cluster, s.tenant, :requests, :bad, :millis, :requests, :bad, :millis,
  CAST(:counted_at AS timestamptz), CAST(:ready AS uuid[]), :readings
FROM model_service s
WHERE s.id = :service
ON CONFLICT (service, version, cluster) DO UPDATE
SET requests = old.requests + CASE WHEN excluded.raw_requests >= old.raw_requests
                                   THEN excluded.raw_requests - old.raw_requests ELSE excluded.raw_requests END,
    bad = old.bad + CASE WHEN excluded.raw_requests >= old.raw_requests
                         THEN greatest(0, excluded.raw_bad - old.raw_bad) ELSE excluded.raw_bad END,
    millis = old.millis + CASE WHEN excluded.raw_requests >= old.raw_requests
                               THEN greatest(0, excluded.raw_millis - old.raw_millis) ELSE excluded.raw_millis END,
    raw_requests = excluded.raw_requests,
    raw_bad = excluded.raw_bad,
    raw_millis = excluded.raw_millis,
    counted_at = excluded.counted_at,
    ready = excluded.ready,
    readings = excluded.readings
