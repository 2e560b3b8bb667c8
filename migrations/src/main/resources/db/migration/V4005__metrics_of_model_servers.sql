SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Metrics of the ready replicas at the last report, as JSON.
ALTER TABLE model_service_traffic ADD COLUMN readings text NOT NULL DEFAULT '[]';
