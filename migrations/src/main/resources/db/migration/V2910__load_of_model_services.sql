SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Latencies of all requests added up, and the time of the count: null while requests are not counted.
ALTER TABLE model_service_traffic
  ADD COLUMN millis     bigint NOT NULL DEFAULT 0,
  ADD COLUMN raw_millis bigint NOT NULL DEFAULT 0,
  ADD COLUMN counted_at timestamptz;
