SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- The last report of a running attempt in its own numbers: step, total and metrics, and the step from which its pace counts.
ALTER TABLE attempt_progress ADD COLUMN report jsonb;
