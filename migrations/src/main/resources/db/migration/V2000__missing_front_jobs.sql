SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Jobs whose front stopped showing them while its circuit breaker was open, and whether an operator confirmed their loss.
ALTER TABLE front_job
  ADD COLUMN missing_since  timestamptz,
  ADD COLUMN loss_confirmed boolean NOT NULL DEFAULT false;
