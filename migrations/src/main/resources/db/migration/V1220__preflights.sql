SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- The job that waits for a run of a health test; null where none does. No run has it yet, so its index is built in no time.
ALTER TABLE health_test_run ADD COLUMN wanted_by uuid;
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX health_test_run_wanted ON health_test_run (ended_at) WHERE wanted_by IS NOT NULL;

-- A kept place whose nodes are tested before its job starts there. Its kind stays FAULT, so that an earlier version that plans
-- during an upgrade starts the job there without the test.
ALTER TABLE reservation ADD COLUMN preflight boolean NOT NULL DEFAULT false;
