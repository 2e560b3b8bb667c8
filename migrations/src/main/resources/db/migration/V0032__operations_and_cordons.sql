SET LOCAL ROLE fairlead_owner;

-- Slow work that somebody follows; of the tenant of whoever ordered it. Removed some days after its end.
CREATE TABLE operation (
  id          uuid        PRIMARY KEY,
  tenant      uuid        NOT NULL REFERENCES tenant,
  kind        text        NOT NULL,
  actor       text        NOT NULL,
  cluster     uuid        NOT NULL REFERENCES cluster,
  node        uuid        REFERENCES node,
  subject     text        NOT NULL,
  state       text        NOT NULL,
  total_count int         NOT NULL CHECK (total_count >= 0),
  left_count  int         NOT NULL CHECK (left_count >= 0),
  step        text        NOT NULL,
  created_at  timestamptz NOT NULL,
  ended_at    timestamptz,
  version     bigint      NOT NULL
);
-- One thing is worked on by one operation at a time.
CREATE UNIQUE INDEX operation_running ON operation (cluster, node) NULLS NOT DISTINCT WHERE ended_at IS NULL;
CREATE INDEX operation_newest ON operation (tenant, id DESC);
CREATE INDEX operation_ended ON operation (ended_at) WHERE ended_at IS NOT NULL;

ALTER TABLE operation ENABLE ROW LEVEL SECURITY;
ALTER TABLE operation FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON operation TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON operation TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON operation TO fairlead_app, fairlead_loops;

-- An operator's cordon, whatever the cluster says; its own column, so that a report cannot undo it.
ALTER TABLE node ADD COLUMN cordon text NOT NULL DEFAULT 'NONE';
CREATE INDEX node_cordoned ON node (cluster, id) WHERE cordon <> 'NONE';
