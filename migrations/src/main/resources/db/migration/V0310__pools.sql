SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Named sets of nodes, shared or of one tenant. A change and a report of nodes exclude each other by an advisory lock, so
-- that no node keeps a pool that no longer has it.
CREATE TABLE pool (
  id          uuid        PRIMARY KEY,
  name        text        COLLATE "C" NOT NULL UNIQUE,
  tenant      uuid        REFERENCES tenant,
  selector    jsonb       NOT NULL,
  description text        NOT NULL,
  version     bigint      NOT NULL
);
CREATE INDEX pool_tenant ON pool (tenant) WHERE tenant IS NOT NULL;

-- A shared pool is seen by every tenant, once one is stated.
ALTER TABLE pool ENABLE ROW LEVEL SECURITY;
ALTER TABLE pool FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON pool TO fairlead_app
  USING (coalesce(tenant, current_setting('fairlead.tenant')::uuid) = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON pool TO fairlead_loops USING (true);
GRANT SELECT ON pool TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON pool TO fairlead_loops;

-- What each node belongs to stands in its row: the row's own note of change tells of it, and one lock guards both.
ALTER TABLE node ADD COLUMN pool text COLLATE "C";
ALTER TABLE node ADD COLUMN pool_tenant uuid;
