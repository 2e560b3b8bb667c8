SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Slow work that its caller can follow, in the tenant of the caller. Deleted some days after its end.
CREATE TABLE operation (
  id          uuid        PRIMARY KEY,
  tenant      uuid        NOT NULL REFERENCES tenant,
  kind        text        NOT NULL,
  actor       text        NOT NULL,
  cluster     uuid        NOT NULL,
  node        uuid,
  subject     text        NOT NULL,
  state       text        NOT NULL,
  total_count int         NOT NULL CHECK (total_count >= 0),
  left_count  int         NOT NULL CHECK (left_count >= 0),
  step        text        NOT NULL,
  created_at  timestamptz NOT NULL,
  ended_at    timestamptz,
  version     bigint      NOT NULL,
  -- Deadline of a drain, and what happens then to the remaining members: WAIT or STOP.
  deadline    timestamptz,
  at_deadline text,
  CONSTRAINT operation_at_deadline CHECK ((deadline IS NULL) = (at_deadline IS NULL))
);
-- A cluster or node has one operation at a time.
CREATE UNIQUE INDEX operation_running ON operation (cluster, node) NULLS NOT DISTINCT WHERE ended_at IS NULL;
CREATE INDEX operation_newest ON operation (tenant, id DESC);
CREATE INDEX operation_ended ON operation (ended_at) WHERE ended_at IS NOT NULL;
ALTER TABLE operation ENABLE ROW LEVEL SECURITY;
ALTER TABLE operation FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON operation TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON operation TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON operation TO fairlead_app, fairlead_loops;

-- Maintenance of many nodes, a few at a time. The role of a tenant sees none. A campaign outlives its nodes.
CREATE TABLE campaign (
  id       uuid        PRIMARY KEY,
  ended_at timestamptz,
  content  jsonb       NOT NULL,
  version  bigint      NOT NULL
);
CREATE INDEX campaign_open ON campaign (id) WHERE ended_at IS NULL;
CREATE INDEX campaign_ended ON campaign (ended_at) WHERE ended_at IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON campaign TO fairlead_loops;

CREATE TABLE campaign_node (
  campaign uuid   NOT NULL REFERENCES campaign,
  node     uuid   NOT NULL,
  position int    NOT NULL,
  state    text   NOT NULL,
  content  jsonb  NOT NULL,
  version  bigint NOT NULL,
  PRIMARY KEY (campaign, node)
);
-- One campaign at a time has a node out of service: another would return it while people work on it.
CREATE UNIQUE INDEX campaign_node_out ON campaign_node (node) WHERE state IN ('DRAINING', 'READY');
CREATE UNIQUE INDEX campaign_node_turn ON campaign_node (campaign, position);
CREATE INDEX campaign_node_pending ON campaign_node (campaign, position) WHERE state = 'PENDING';
-- A turn of the loop reads only nodes in progress.
CREATE INDEX campaign_node_active ON campaign_node (campaign, position)
  WHERE state IN ('DRAINING', 'READY', 'SOAKING', 'UNHEALTHY');
GRANT SELECT, INSERT, UPDATE, DELETE ON campaign_node TO fairlead_loops;

-- Namespaces of removed projects, on each cluster that may have one. The row is deleted with the namespace. The project may
-- be gone, so there is no foreign key to it.
CREATE TABLE namespace_removal (
  cluster   uuid        NOT NULL REFERENCES cluster ON DELETE CASCADE,
  namespace text        COLLATE "C" NOT NULL,
  project   uuid        NOT NULL,
  tenant    uuid        NOT NULL REFERENCES tenant ON DELETE CASCADE,
  since     timestamptz NOT NULL DEFAULT now(),
  next_at   timestamptz NOT NULL DEFAULT now(),
  tries     int         NOT NULL DEFAULT 0,
  why       text,
  PRIMARY KEY (cluster, namespace, project)
);
CREATE INDEX namespace_removal_due ON namespace_removal (cluster, next_at);
CREATE INDEX namespace_removal_left ON namespace_removal (since) WHERE tries > 0;
CREATE INDEX namespace_removal_of_tenant ON namespace_removal (tenant);
ALTER TABLE namespace_removal ENABLE ROW LEVEL SECURITY;
ALTER TABLE namespace_removal FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON namespace_removal TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON namespace_removal TO fairlead_loops USING (true);
GRANT SELECT, INSERT ON namespace_removal TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON namespace_removal TO fairlead_loops;
