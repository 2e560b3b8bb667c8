SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- What becomes of jobs of a project that do not use their GPUs; null for nothing.
ALTER TABLE project ADD COLUMN idle_policy jsonb;

-- When the owner was warned of an attempt, and what was got back when it was stopped.
ALTER TABLE attempt_efficiency ADD COLUMN warned_at timestamptz, ADD COLUMN reclaimed jsonb;
