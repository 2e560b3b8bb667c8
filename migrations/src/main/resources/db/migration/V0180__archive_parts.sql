SET LOCAL ROLE fairlead_owner;

-- Pieces of large jobs on their way to the archive and in it: a statement moves a bounded number of rows, and no jsonb
-- value comes near its limit of 255 MiB. While a job moves, what has not moved yet is where it was.
CREATE TABLE job_archive_part (
  job          uuid  NOT NULL,
  part         int   NOT NULL,
  tenant       uuid  NOT NULL,
  element_rows jsonb NOT NULL,
  attempt_rows jsonb NOT NULL,
  member_rows  jsonb NOT NULL,
  PRIMARY KEY (job, part)
);
ALTER TABLE job_archive_part ENABLE ROW LEVEL SECURITY;
ALTER TABLE job_archive_part FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON job_archive_part TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON job_archive_part TO fairlead_loops USING (true);
GRANT SELECT, DELETE ON job_archive_part TO fairlead_app, fairlead_loops;
GRANT INSERT ON job_archive_part TO fairlead_loops;

-- Archived rows below jobs, whole or in pieces.
CREATE VIEW job_archive_rows WITH (security_invoker = true) AS
  SELECT id, element_rows, attempt_rows, member_rows FROM job_archive
  UNION ALL
  SELECT job, element_rows, attempt_rows, member_rows FROM job_archive_part;
GRANT SELECT ON job_archive_rows TO fairlead_app, fairlead_loops;
