SET LOCAL ROLE fairlead_owner;

-- Second wall: a connection of the role app sees the rows of one tenant, or none. Forced, so that the owner sees none
-- either: a migration that changes rows of tenants does it as fairlead_loops.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['quota_node', 'quota_limit', 'quota_usage', 'project', 'role_binding', 'job', 'job_element',
                              'attempt', 'member', 'job_archive', 'job_explanation', 'event', 'audit_record',
                              'idempotency_key'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format($policy$CREATE POLICY one_tenant ON %I TO fairlead_app
      USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid)$policy$, name);
    EXECUTE format('CREATE POLICY all_tenants ON %I TO fairlead_loops USING (true)', name);
  END LOOP;
END
$$;
ALTER TABLE tenant ENABLE ROW LEVEL SECURITY;
ALTER TABLE tenant FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON tenant TO fairlead_app
  USING (id = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON tenant TO fairlead_loops USING (true);

-- allocation has no tenant: it shows which slot is taken, not by whom; its attempt is behind the wall.
GRANT SELECT, INSERT, UPDATE, DELETE ON tenant, quota_node, quota_limit, quota_usage, project, role_binding, cluster, node,
  gpu_slot, job, job_element, attempt, member, allocation, explanation, job_explanation, idempotency_key
  TO fairlead_app, fairlead_loops;
GRANT SELECT ON installation, fence, job_archive, job_all TO fairlead_app, fairlead_loops;
GRANT SELECT, INSERT ON event, audit_record TO fairlead_app, fairlead_loops;
GRANT USAGE ON SEQUENCE event_seq, audit_seq TO fairlead_app, fairlead_loops;
GRANT INSERT ON job_archive TO fairlead_loops;
GRANT SELECT, INSERT, UPDATE ON lease, fence TO fairlead_loops;
GRANT EXECUTE ON FUNCTION fairlead_make_partitions(), fairlead_drop_events(timestamptz) TO fairlead_loops;
-- The sealer comes with tamper evidence; it reads what it will chain.
GRANT SELECT ON audit_record TO fairlead_sealer;
CREATE POLICY all_tenants_sealed ON audit_record TO fairlead_sealer USING (true);
