SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- The platform's own quota tree: nodes without a tenant, which the role of a tenant's connections cannot see, since null
-- equals no tenant. The root has the id of zeros, the node of a tenant has the tenant's id.
ALTER TABLE quota_node ALTER COLUMN tenant DROP NOT NULL;
ALTER TABLE quota_limit ALTER COLUMN tenant DROP NOT NULL;
ALTER TABLE quota_usage ALTER COLUMN tenant DROP NOT NULL;
ALTER TABLE quota_node ADD CONSTRAINT quota_node_of_tenant_or_fleet CHECK (
  (tenant IS NULL) = (id = '00000000-0000-0000-0000-000000000000'
                      OR parent IS NOT DISTINCT FROM '00000000-0000-0000-0000-000000000000'::uuid));

-- Each placement asks whether the platform limits anything.
CREATE INDEX quota_node_fleet_limited ON quota_node (id) WHERE tenant IS NULL AND limit_count <> 0;

SET LOCAL ROLE fairlead_loops;
INSERT INTO quota_node (id, tenant, name, parent, depth, weight, preempt_within, preempt_reclaim, preempt_fair_share,
                        limit_count, version)
  VALUES ('00000000-0000-0000-0000-000000000000', NULL, 'fleet', NULL, 0, 1000, 'NEVER', 'NEVER', false, 0, 1);
INSERT INTO quota_node (id, tenant, name, parent, depth, weight, preempt_within, preempt_reclaim, preempt_fair_share,
                        limit_count, version)
  SELECT id, NULL, 'fleet', '00000000-0000-0000-0000-000000000000', 1, 1000, 'NEVER', 'NEVER', false, 0, 1 FROM tenant;
SET LOCAL ROLE fairlead_owner;

-- A tenant is made with its node, by either role and by replicas of the version before.
CREATE POLICY of_the_fleet ON quota_node FOR INSERT TO fairlead_owner WITH CHECK (tenant IS NULL);
CREATE FUNCTION fairlead_tenant_of_fleet() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO quota_node (id, tenant, name, parent, depth, weight, preempt_within, preempt_reclaim, preempt_fair_share,
                          limit_count, version)
    VALUES (NEW.id, NULL, 'fleet', '00000000-0000-0000-0000-000000000000', 1, 1000, 'NEVER', 'NEVER', false, 0, 1);
  RETURN NULL;
END
$$;
CREATE TRIGGER tenant_of_fleet AFTER INSERT ON tenant FOR EACH ROW EXECUTE FUNCTION fairlead_tenant_of_fleet();
