SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Bare id of the model service whose replicas used the GPUs, otherwise null. Statements divide this part of the use by tokens.
ALTER TABLE usage_hour ADD COLUMN service text COLLATE "C";
-- squawk-ignore require-concurrent-index-deletion
DROP INDEX usage_hour_one;
-- squawk-ignore require-concurrent-index-creation
CREATE UNIQUE INDEX usage_hour_one ON usage_hour (tenant, hour_ms, project, queue, used_by, cluster, pool, model, capacity, service)
  NULLS NOT DISTINCT;
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX usage_hour_of_service ON usage_hour (service, hour_ms) WHERE service IS NOT NULL;

-- The cost of a service is read by the hour.
-- squawk-ignore require-concurrent-index-deletion
DROP INDEX usage_interval_of_service;
