SET LOCAL ROLE fairlead_owner;

-- How many jobs have ended, by what they are counted by: a job that has ended is counted by its end and never again.
-- Rows are only added, with the job's last state in one statement, so that no end waits for another's; they are added up
-- from time to time. One of a job that is deleted is negative.
CREATE TABLE job_tally (
  tenant       uuid   NOT NULL,
  project      uuid   NOT NULL,
  queue        uuid   NOT NULL,
  state        text   NOT NULL,
  submitted_by text   NOT NULL,
  jobs         bigint NOT NULL,
  gpu_milli    bigint NOT NULL
);
CREATE INDEX job_tally_groups ON job_tally (tenant, state, queue, project, submitted_by);

ALTER TABLE job_tally ENABLE ROW LEVEL SECURITY;
ALTER TABLE job_tally FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON job_tally TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON job_tally TO fairlead_loops USING (true);
GRANT SELECT, INSERT ON job_tally TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON job_tally TO fairlead_loops;

-- Only jobs that have not ended are counted one by one.
CREATE INDEX job_counts_active ON job (tenant, state, queue, project, submitted_by, gpu_milli) WHERE active;
DROP INDEX job_counts;
DROP INDEX job_archive_counts;

SET LOCAL ROLE fairlead_loops;
INSERT INTO job_tally (tenant, project, queue, state, submitted_by, jobs, gpu_milli)
SELECT tenant, project, queue, state, submitted_by, count(*), sum(gpu_milli)
FROM job_all WHERE NOT active
GROUP BY tenant, project, queue, state, submitted_by;
