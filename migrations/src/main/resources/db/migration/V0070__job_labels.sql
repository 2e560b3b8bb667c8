SET LOCAL ROLE fairlead_owner;

-- Labels of jobs, one row a pair: jsonb's operators are not leakproof, so that under row security no index on
-- job.labels would be used. Written with the job, in the same statement; stays when the job moves to the archive.
CREATE TABLE job_label (
  tenant uuid NOT NULL,
  job    uuid NOT NULL,
  label  text COLLATE "C" NOT NULL,
  PRIMARY KEY (job, label)
);
CREATE INDEX job_label_jobs ON job_label (tenant, label, job);

ALTER TABLE job_label ENABLE ROW LEVEL SECURITY;
ALTER TABLE job_label FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON job_label TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON job_label TO fairlead_loops USING (true);
GRANT SELECT, INSERT, DELETE ON job_label TO fairlead_app, fairlead_loops;

SET LOCAL ROLE fairlead_loops;
INSERT INTO job_label (tenant, job, label)
SELECT j.tenant, j.id, l.key || '=' || l.value FROM job_all j, jsonb_each_text(j.labels) l;
