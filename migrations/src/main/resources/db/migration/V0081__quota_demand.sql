SET LOCAL ROLE fairlead_owner;

-- What waiting jobs ask for, as the scheduler saw it last: it looks at all of them anyway, so nobody else has to.
CREATE TABLE quota_demand (
  node     uuid   NOT NULL REFERENCES quota_node ON DELETE CASCADE,
  tenant   uuid   NOT NULL,
  model    text   NOT NULL,
  capacity text   NOT NULL,
  resource text   NOT NULL,
  amount   bigint NOT NULL CHECK (amount > 0),
  PRIMARY KEY (node, model, capacity, resource)
);
CREATE INDEX quota_demand_tenants ON quota_demand (tenant);

ALTER TABLE quota_demand ENABLE ROW LEVEL SECURITY;
ALTER TABLE quota_demand FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON quota_demand TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON quota_demand TO fairlead_loops USING (true);
GRANT SELECT ON quota_demand TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON quota_demand TO fairlead_loops;
