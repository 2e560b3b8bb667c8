SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- When the job was likely to start, as it was told in the wait that the decision is about or that it ended.
ALTER TABLE job_decision ADD COLUMN expected_p50 timestamptz;
ALTER TABLE job_decision ADD COLUMN expected_p90 timestamptz;
