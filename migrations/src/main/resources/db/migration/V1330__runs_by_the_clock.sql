SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- The last run of each node that was not for a job: those for jobs may be many more, and would all be passed over each time. The
-- table is read by few and small, so its writers wait for a moment.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX health_test_run_clocked ON health_test_run (test, node, id DESC) WHERE wanted_by IS NULL;
