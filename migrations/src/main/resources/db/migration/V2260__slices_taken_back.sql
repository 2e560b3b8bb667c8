SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- The runbook of a refused clock takes the begin of slices back that was stored by a clock that was ahead.
GRANT UPDATE (since_ms) ON slice_allocation TO fairlead_loops;
