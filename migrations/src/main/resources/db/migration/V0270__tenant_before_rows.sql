SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- No tenant stated is an error of the statement that reads or writes such rows, not an empty answer: connections begin
-- with a text in fairlead.tenant that is no id.
DO $$
DECLARE
  walled regclass;
BEGIN
  FOR walled IN SELECT polrelid FROM pg_policy WHERE polname = 'one_tenant' AND polrelid <> 'tenant'::regclass LOOP
    EXECUTE format('ALTER POLICY one_tenant ON %s USING (tenant = current_setting(''fairlead.tenant'')::uuid)', walled);
  END LOOP;
END
$$;
ALTER POLICY one_tenant ON tenant USING (id = current_setting('fairlead.tenant')::uuid);

-- Of the tenant of their attempt: its own policy answers. No column, so that an allocation costs what it did.
ALTER TABLE allocation ENABLE ROW LEVEL SECURITY;
ALTER TABLE allocation FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON allocation TO fairlead_app
  USING (EXISTS (SELECT FROM attempt a WHERE a.id = allocation.attempt));
CREATE POLICY all_tenants ON allocation TO fairlead_loops USING (true);

-- Equal jobs of several tenants may share a class: it is shown to those that have a job in it.
DROP INDEX job_explanation_class;
CREATE INDEX job_explanation_class ON job_explanation (class_key, tenant);
ALTER TABLE explanation ENABLE ROW LEVEL SECURITY;
ALTER TABLE explanation FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON explanation TO fairlead_app
  USING (EXISTS (SELECT FROM job_explanation m WHERE m.class_key = explanation.class_key));
CREATE POLICY all_tenants ON explanation TO fairlead_loops USING (true);

-- Rows of the fleet, what is taken of it and why jobs wait are written for all tenants or not at all.
REVOKE INSERT, UPDATE, DELETE ON cluster, cluster_removed, node, node_retired, gpu_slot, allocation, explanation,
  job_explanation FROM fairlead_app;
