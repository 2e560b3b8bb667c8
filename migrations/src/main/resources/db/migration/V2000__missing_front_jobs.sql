SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Jobs whose front stopped showing them while its circuit breaker was open, and whether an operator confirmed their loss.
ALTER TABLE front_job
  ADD COLUMN missing_since  timestamptz,
  ADD COLUMN loss_confirmed boolean NOT NULL DEFAULT false;

-- Lists of breakers count these rows and read no other.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX front_job_missing ON front_job (cluster) WHERE missing_since IS NOT NULL;
