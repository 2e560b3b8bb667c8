SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- A volume outlives jobs: while it exists, neither its project nor its cluster can be deleted.
CREATE TABLE volume (
  id             uuid        PRIMARY KEY,
  tenant         uuid        NOT NULL REFERENCES tenant,
  project        uuid        NOT NULL REFERENCES project,
  name           text        COLLATE "C" NOT NULL,
  size_gib       bigint      NOT NULL CHECK (size_gib > 0),
  storage_class  text        COLLATE "C",
  access         text        COLLATE "C" NOT NULL,
  retain         boolean     NOT NULL,
  state          text        COLLATE "C" NOT NULL,
  cluster        uuid        REFERENCES cluster,
  claim_uid      text        COLLATE "C",
  bound_at       timestamptz,
  message        text,
  created_at     timestamptz NOT NULL,
  created_by     text        NOT NULL,
  version        bigint      NOT NULL,
  -- Time since which the claim of the volume has been on its cluster.
  provisioned_at timestamptz,
  -- Null if the name of the claim follows from the name of the volume.
  claim          text        COLLATE "C",
  -- Labels that a node needs to reach the data, such as its zone. Empty if every node of the cluster reaches it.
  node_labels    jsonb       NOT NULL DEFAULT '{}',
  -- Time at which the cluster stopped reporting the claim while the circuit breaker was open, and whether an operator
  -- confirmed the loss.
  missing_since  timestamptz,
  loss_confirmed boolean     NOT NULL DEFAULT false,
  UNIQUE (project, name),
  CONSTRAINT volume_cluster_check CHECK ((state = 'CLAIMED') = (cluster IS NULL)),
  CONSTRAINT volume_claim_check CHECK ((state IN ('CLAIMED', 'PLACED')) = (claim_uid IS NULL))
);
CREATE INDEX volume_tenant ON volume (tenant);
CREATE INDEX volume_cluster ON volume (cluster) WHERE cluster IS NOT NULL;
-- Lists of circuit breakers read only these rows.
CREATE INDEX volume_missing ON volume (cluster) WHERE missing_since IS NOT NULL;
ALTER TABLE volume ENABLE ROW LEVEL SECURITY;
ALTER TABLE volume FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON volume TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON volume TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON volume TO fairlead_app, fairlead_loops;

-- Copies of volumes to other clusters, and imports.
CREATE TABLE volume_transfer (
  id       uuid        PRIMARY KEY,
  tenant   uuid        NOT NULL REFERENCES tenant,
  project  uuid        NOT NULL REFERENCES project ON DELETE CASCADE,
  target   uuid        NOT NULL,
  ended_at timestamptz,
  version  bigint      NOT NULL,
  content  jsonb       NOT NULL
);
-- Two transfers into one volume would mix their files.
CREATE UNIQUE INDEX volume_transfer_open ON volume_transfer (target) WHERE ended_at IS NULL;
CREATE INDEX volume_transfer_of_project ON volume_transfer (tenant, project, id DESC);
CREATE INDEX volume_transfer_project ON volume_transfer (project);
CREATE INDEX volume_transfer_ended ON volume_transfer (ended_at) WHERE ended_at IS NOT NULL;
ALTER TABLE volume_transfer ENABLE ROW LEVEL SECURITY;
ALTER TABLE volume_transfer FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON volume_transfer TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON volume_transfer TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON volume_transfer TO fairlead_app, fairlead_loops;

-- Periods in which a volume had its claim, written at their end. Open periods are in volume.
CREATE TABLE volume_stay (
  volume        uuid        NOT NULL,
  tenant        uuid        NOT NULL REFERENCES tenant,
  project       uuid        NOT NULL,
  name          text        COLLATE "C" NOT NULL,
  size_gib      bigint      NOT NULL,
  storage_class text        COLLATE "C",
  cluster       uuid        NOT NULL,
  begun_at      timestamptz NOT NULL,
  ended_at      timestamptz NOT NULL,
  PRIMARY KEY (volume, begun_at)
);
CREATE INDEX volume_stay_of_tenant ON volume_stay (tenant, ended_at);
CREATE INDEX volume_stay_ended ON volume_stay (ended_at);
ALTER TABLE volume_stay ENABLE ROW LEVEL SECURITY;
ALTER TABLE volume_stay FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON volume_stay TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON volume_stay TO fairlead_loops USING (true);
GRANT SELECT, INSERT ON volume_stay TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON volume_stay TO fairlead_loops;
