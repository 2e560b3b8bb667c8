SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Volumes whose cluster stopped showing their claims while the circuit breaker was open, and whether an operator confirmed their loss.
ALTER TABLE volume
  ADD COLUMN missing_since  timestamptz,
  ADD COLUMN loss_confirmed boolean NOT NULL DEFAULT false;

-- Lists of breakers count these rows and read no other.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX volume_missing ON volume (cluster) WHERE missing_since IS NOT NULL;
