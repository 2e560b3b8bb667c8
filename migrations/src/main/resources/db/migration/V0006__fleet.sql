SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

CREATE TABLE cluster (
  id            uuid        PRIMARY KEY,
  name          text        COLLATE "C" NOT NULL UNIQUE,
  kind          text        NOT NULL,
  state         text        NOT NULL,
  capacity_type text        NOT NULL,
  price         jsonb       NOT NULL,
  capabilities  jsonb       NOT NULL,
  -- Credentials are sealed by the service before they are stored here.
  connection    jsonb       NOT NULL,
  created_at    timestamptz NOT NULL,
  last_seen_at  timestamptz,
  trouble       text,
  version       bigint      NOT NULL,
  settings      jsonb       NOT NULL DEFAULT '{"pinning": "DIRECT", "rdmaResource": null, "topologyLabels": []}'
);
GRANT SELECT ON cluster TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON cluster TO fairlead_loops;

-- Names of removed clusters, because history refers to their ids without a foreign key. Their nodes are locked and deleted,
-- so no attempt is placed on a removed cluster.
CREATE TABLE cluster_removed (
  id         uuid        PRIMARY KEY,
  name       text        COLLATE "C" NOT NULL,
  removed_at timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT ON cluster_removed TO fairlead_app;
GRANT SELECT, INSERT ON cluster_removed TO fairlead_loops;

-- Capacity of a node and its foreign use are facts from outside and have no check: a node that shrank below its allocations
-- is reported, not refused. The guarded UPDATE of an allocation refuses new ones.
CREATE TABLE node (
  id                     uuid        PRIMARY KEY,
  cluster                uuid        NOT NULL REFERENCES cluster,
  name                   text        COLLATE "C" NOT NULL,
  state                  text        NOT NULL,
  gpu_model              text        NOT NULL,
  gpu_memory_mib         bigint      NOT NULL,
  allocatable_cpu        bigint      NOT NULL,
  allocatable_memory_mib bigint      NOT NULL,
  allocatable_gpu        bigint      NOT NULL,
  allocatable_pods       bigint      NOT NULL,
  allocatable_extended   jsonb       NOT NULL,
  allocated_cpu          bigint      NOT NULL DEFAULT 0 CHECK (allocated_cpu >= 0),
  allocated_memory_mib   bigint      NOT NULL DEFAULT 0 CHECK (allocated_memory_mib >= 0),
  allocated_gpu          bigint      NOT NULL DEFAULT 0 CHECK (allocated_gpu >= 0),
  allocated_pods         bigint      NOT NULL DEFAULT 0 CHECK (allocated_pods >= 0),
  allocated_extended     jsonb       NOT NULL DEFAULT '{}',
  foreign_cpu            bigint      NOT NULL,
  foreign_memory_mib     bigint      NOT NULL,
  foreign_gpu            bigint      NOT NULL,
  foreign_pods           bigint      NOT NULL,
  foreign_extended       jsonb       NOT NULL,
  labels                 jsonb       NOT NULL,
  taints                 jsonb       NOT NULL,
  topology               jsonb       NOT NULL,
  boot_id                text        NOT NULL,
  version                bigint      NOT NULL,
  -- Cordon by an operator, in a column of its own so that a report of the cluster cannot lift it.
  cordon                 text        NOT NULL DEFAULT 'NONE',
  -- Pool of the node, copied from the row of the pool: one lock and one change note cover both.
  pool                   text        COLLATE "C",
  pool_tenant            uuid,
  pool_spares            text        COLLATE "C",
  -- Windows of the pool as JSON text, null for a pool that is always open.
  pool_windows           text        COLLATE "C",
  -- Time since which the cluster has reported the node without a gap. A node that was there before the request to a
  -- provisioner was not added by it.
  shown_since            timestamptz DEFAULT now(),
  UNIQUE (cluster, name)
) WITH (fillfactor = 80);
CREATE INDEX node_cordoned ON node (cluster, id) WHERE cordon <> 'NONE';
CREATE INDEX node_to_retire ON node (id) WHERE state = 'RETIRED';
-- The supervisor of a cluster looks for nodes of closed pools that still have work.
CREATE INDEX node_in_windows ON node (cluster) WHERE pool_windows IS NOT NULL;
-- Most requests name a node without its cluster.
CREATE INDEX node_name ON node (name);
GRANT SELECT ON node TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON node TO fairlead_loops;

-- Nodes that their clusters no longer list and that nothing refers to, as JSON copies of their rows, so that reports and
-- plans do not read them. A node that returns retains its id and its cordon.
CREATE TABLE node_retired (
  id         uuid        PRIMARY KEY,
  cluster    uuid        NOT NULL REFERENCES cluster ON DELETE CASCADE,
  name       text        COLLATE "C" NOT NULL,
  cordon     text        NOT NULL,
  node_row   jsonb       NOT NULL,
  gpu_rows   jsonb       NOT NULL,
  retired_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (cluster, name)
);
CREATE INDEX node_retired_cordoned ON node_retired (cluster, id) WHERE cordon <> 'NONE';
GRANT SELECT ON node_retired TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON node_retired TO fairlead_loops;

-- One row for each device of a node. Its size never changes, so the check holds whatever a cluster reports.
CREATE TABLE gpu_slot (
  node            uuid    NOT NULL REFERENCES node,
  idx             int     NOT NULL CHECK (idx >= 0),
  serial          text    NOT NULL,
  state           text    NOT NULL,
  size_milli      int     NOT NULL DEFAULT 1000 CHECK (size_milli = 1000),
  allocated_milli int     NOT NULL DEFAULT 0,
  -- Allocated MIG slices as a bit mask: bits 0 to 7 are memory slices, bit 8 is the media engines. Not 0 only while the
  -- device is partitioned. Only slices can be allocated on it then. Two slices of a device share no bit.
  slices          int     NOT NULL DEFAULT 0 CHECK (slices BETWEEN 0 AND 511),
  -- Milliseconds since 1970 up to which the use of the GPU is recorded.
  booked_ms       bigint  NOT NULL DEFAULT 0,
  -- A quarantined slot has the state FAILED.
  quarantined     boolean NOT NULL DEFAULT false,
  PRIMARY KEY (node, idx),
  CHECK (allocated_milli BETWEEN 0 AND size_milli)
) WITH (fillfactor = 80, autovacuum_vacuum_cost_limit = 2000);
GRANT SELECT ON gpu_slot TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON gpu_slot TO fairlead_loops;

-- Named sets of nodes, shared or of one tenant. A change of a pool and a report of nodes exclude each other by an advisory
-- lock, so that no node retains a pool that no longer selects it.
CREATE TABLE pool (
  id          uuid   PRIMARY KEY,
  name        text   COLLATE "C" NOT NULL UNIQUE,
  tenant      uuid   REFERENCES tenant,
  selector    jsonb  NOT NULL,
  description text   NOT NULL,
  version     bigint NOT NULL,
  -- Number of nodes reserved as spares, such as '1 per 32', null for none.
  spares      text   COLLATE "C",
  -- Windows during which the pool accepts work, their lead time, and the leftover policy, null if it is always open.
  windows     jsonb
);
CREATE INDEX pool_tenant ON pool (tenant) WHERE tenant IS NOT NULL;
-- Each tenant sees the shared pools.
ALTER TABLE pool ENABLE ROW LEVEL SECURITY;
ALTER TABLE pool FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON pool TO fairlead_app
  USING (coalesce(tenant, current_setting('fairlead.tenant')::uuid) = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON pool TO fairlead_loops USING (true);
GRANT SELECT ON pool TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON pool TO fairlead_loops;

-- How a pool gets nodes from its node provisioner. The role of a tenant sees no row.
CREATE TABLE pool_supply (
  pool    uuid   PRIMARY KEY REFERENCES pool,
  content jsonb  NOT NULL,
  version bigint NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON pool_supply TO fairlead_loops;

-- Requests to node provisioners, from before the first call until none of their nodes is left. Ended requests remain for a
-- while, because a refusal determines the time of the next request.
CREATE TABLE supply_request (
  id         uuid        PRIMARY KEY,
  pool       uuid        NOT NULL REFERENCES pool_supply ON DELETE CASCADE,
  settled_at timestamptz,
  ended_at   timestamptz,
  content    jsonb       NOT NULL,
  version    bigint      NOT NULL
);
CREATE INDEX supply_request_of_pool ON supply_request (pool, id DESC);
CREATE INDEX supply_request_open ON supply_request (id) WHERE ended_at IS NULL;
CREATE INDEX supply_request_settled ON supply_request (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX supply_request_ended ON supply_request (ended_at) WHERE ended_at IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON supply_request TO fairlead_loops;
