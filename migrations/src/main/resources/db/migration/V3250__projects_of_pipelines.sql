SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Project of a job with the label pipeline, null for other labels and for jobs of a previous version.
ALTER TABLE job_label ADD COLUMN project uuid;
GRANT UPDATE (project) ON job_label TO fairlead_loops;
