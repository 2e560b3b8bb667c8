SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- When a drain is to be done, and what happens then to what is left: WAIT or STOP.
ALTER TABLE operation
  ADD COLUMN deadline    timestamptz,
  ADD COLUMN at_deadline text,
  ADD CONSTRAINT operation_at_deadline
  CHECK ((deadline IS NULL) = (at_deadline IS NULL)) NOT VALID;
