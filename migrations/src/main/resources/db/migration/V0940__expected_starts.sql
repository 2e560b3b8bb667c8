SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- When the job is likely to start, learned from run times and waits; null while too little is known.
ALTER TABLE job_explanation ADD COLUMN expected jsonb;
