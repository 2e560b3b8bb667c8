SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- What attempts made of their GPUs. No reference to the attempt: rows outlive its move to the archive, and go when its job is
-- deleted, or a year after the first sample. No index has what changes with each sample.
CREATE TABLE attempt_efficiency (
  attempt         uuid             PRIMARY KEY,
  job             uuid             NOT NULL,
  tenant          uuid             NOT NULL,
  samples         bigint           NOT NULL,
  mean            double precision NOT NULL,
  last            double precision NOT NULL,
  memory_peak_mib bigint,
  joules          double precision,
  idle_since      timestamptz,
  since           timestamptz      NOT NULL,
  sampled_at      timestamptz      NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX attempt_efficiency_since ON attempt_efficiency (since);
CREATE INDEX attempt_efficiency_job ON attempt_efficiency (job);
ALTER TABLE attempt_efficiency ENABLE ROW LEVEL SECURITY;
ALTER TABLE attempt_efficiency FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON attempt_efficiency TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON attempt_efficiency TO fairlead_loops USING (true);
GRANT SELECT, DELETE ON attempt_efficiency TO fairlead_app, fairlead_loops;
GRANT INSERT, UPDATE ON attempt_efficiency TO fairlead_loops;
