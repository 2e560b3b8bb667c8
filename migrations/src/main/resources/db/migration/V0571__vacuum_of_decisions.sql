SET LOCAL ROLE fairlead_owner;

-- The oldest rows of busy jobs are deleted all the time and the table holds a year: vacuum looks more often than at a fifth.
ALTER TABLE job_decision SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 10000);
