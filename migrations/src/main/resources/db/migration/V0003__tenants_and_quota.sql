SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

CREATE TABLE tenant (
  id           uuid        PRIMARY KEY,
  name         text        COLLATE "C" NOT NULL UNIQUE,
  created_at   timestamptz NOT NULL DEFAULT now(),
  version      bigint      NOT NULL,
  display_name text        NOT NULL DEFAULT '',
  state        text        NOT NULL DEFAULT 'ACTIVE'
);
ALTER TABLE tenant ENABLE ROW LEVEL SECURITY;
ALTER TABLE tenant FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON tenant TO fairlead_app USING (id = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON tenant TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON tenant TO fairlead_app, fairlead_loops;

-- A node of the quota tree. A queue is a node with an order. The platform has its own tree of nodes without a tenant, which
-- connections of a tenant cannot see because null equals no tenant: its root has the zero id, and the node of a tenant has
-- the id of the tenant.
CREATE TABLE quota_node (
  id                          uuid    PRIMARY KEY,
  tenant                      uuid    REFERENCES tenant,
  name                        text    COLLATE "C" NOT NULL,
  parent                      uuid    REFERENCES quota_node,
  depth                       int     NOT NULL,
  weight                      bigint  NOT NULL CHECK (weight >= 0),
  preempt_within              text    NOT NULL,
  preempt_reclaim             text    NOT NULL,
  preempt_fair_share          boolean NOT NULL,
  queue_order                 text,
  queue_state                 text,
  default_max_runtime_millis  bigint,
  version                     bigint  NOT NULL,
  share_policy                text    NOT NULL DEFAULT 'DOMINANT_SHARE',
  fair_by_user                boolean NOT NULL DEFAULT false,
  usage_half_life_millis      bigint,
  -- Number of rows in quota_limit, so that a read that returns fewer rows is not taken for a node without limits, which is
  -- unlimited. Null if unknown.
  limit_count                 int,
  preempt_while_borrowing     text    NOT NULL DEFAULT 'NEVER',
  preempt_max_victim_priority int,
  flavor_when_can_borrow      text    NOT NULL DEFAULT 'BORROW',
  flavor_when_can_preempt     text    NOT NULL DEFAULT 'TRY_NEXT_FLAVOR',
  flavor_preference           text    NOT NULL DEFAULT 'BORROWING',
  -- The tiers in which jobs of the queue choose capacity, as one document, null for none.
  routing                     text    COLLATE "C",
  -- Limits of each user in the queue, null is no limit.
  user_running                int     CHECK (user_running >= 0),
  user_gpu_milli              bigint  CHECK (user_gpu_milli >= 0),
  user_queued                 int     CHECK (user_queued >= 0),
  -- GPU-minutes that running jobs of each user may still use.
  user_gpu_minutes            bigint  CHECK (user_gpu_minutes >= 0),
  -- Limits of each project in the queue, and of all its jobs together, null is no limit.
  project_limits              text    COLLATE "C" CHECK (project_limits IS NULL OR project_limits IS JSON OBJECT),
  queue_limits                text    COLLATE "C" CHECK (queue_limits IS NULL OR queue_limits IS JSON OBJECT),
  -- Names of the projects that may use the queue, null is all projects of the tenant.
  queue_projects              text    COLLATE "C" CHECK (queue_projects IS NULL OR queue_projects IS JSON ARRAY),
  -- Names of the admission checks of the queue, null for none.
  queue_checks                text    COLLATE "C" CHECK (queue_checks IS NULL OR queue_checks IS JSON ARRAY),
  UNIQUE (tenant, name),
  CHECK (depth >= 0 AND (depth = 0) = (parent IS NULL)),
  CHECK ((queue_order IS NULL) = (queue_state IS NULL)),
  CONSTRAINT quota_node_of_tenant_or_fleet CHECK (
    (tenant IS NULL) = (id = '00000000-0000-0000-0000-000000000000'
    OR parent IS NOT DISTINCT FROM '00000000-0000-0000-0000-000000000000'::uuid)),
  CONSTRAINT quota_node_routing_check CHECK (
    routing IS NULL OR (routing IS JSON OBJECT AND queue_order IS NOT NULL))
);
CREATE INDEX quota_node_parent ON quota_node (parent);
-- Each placement checks whether the platform limits anything.
CREATE INDEX quota_node_fleet_limited ON quota_node (id) WHERE tenant IS NULL AND limit_count <> 0;
ALTER TABLE quota_node ENABLE ROW LEVEL SECURITY;
ALTER TABLE quota_node FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON quota_node TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON quota_node TO fairlead_loops USING (true);
-- The trigger below creates the node of a new tenant as the owner of the table.
CREATE POLICY of_the_fleet ON quota_node FOR INSERT TO fairlead_owner WITH CHECK (tenant IS NULL);
GRANT SELECT, INSERT, UPDATE, DELETE ON quota_node TO fairlead_app, fairlead_loops;

-- Each tenant is created with its node in the tree of the platform.
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

-- Limits of a node. A null amount is not limited.
CREATE TABLE quota_limit (
  node            uuid   NOT NULL REFERENCES quota_node ON DELETE CASCADE,
  tenant          uuid,
  model           text   COLLATE "C" NOT NULL,
  capacity        text   COLLATE "C" NOT NULL,
  resource        text   COLLATE "C" NOT NULL,
  ordinal         int    NOT NULL,
  nominal         bigint CHECK (nominal >= 0),
  borrowing_limit bigint CHECK (borrowing_limit >= 0),
  lending_limit   bigint CHECK (lending_limit >= 0),
  -- Windows during which other amounts apply, null for none.
  windows         jsonb,
  PRIMARY KEY (node, model, capacity, resource)
);
CREATE INDEX quota_limit_tenant ON quota_limit (tenant);
ALTER TABLE quota_limit ENABLE ROW LEVEL SECURITY;
ALTER TABLE quota_limit FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON quota_limit TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON quota_limit TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON quota_limit TO fairlead_app, fairlead_loops;

-- Authoritative counters, changed in the transaction of the allocation under the lock of the node's row.
CREATE TABLE quota_usage (
  node     uuid   NOT NULL REFERENCES quota_node ON DELETE CASCADE,
  tenant   uuid,
  model    text   COLLATE "C" NOT NULL,
  capacity text   COLLATE "C" NOT NULL,
  resource text   COLLATE "C" NOT NULL,
  used     bigint NOT NULL,
  -- Use by jobs that are never evicted, from the nominal quota of this node. A queue without limits counts at the nearest
  -- node above it that has limits.
  firm     bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (node, model, capacity, resource)
);
CREATE INDEX quota_usage_tenant ON quota_usage (tenant);
ALTER TABLE quota_usage ENABLE ROW LEVEL SECURITY;
ALTER TABLE quota_usage FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON quota_usage TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON quota_usage TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON quota_usage TO fairlead_app, fairlead_loops;

-- Demand of pending jobs as the scheduler last saw it. Reports read this table instead of the jobs.
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
CREATE POLICY one_tenant ON quota_demand TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON quota_demand TO fairlead_loops USING (true);
GRANT SELECT ON quota_demand TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON quota_demand TO fairlead_loops;

-- Use of ended jobs, decayed up to a time, for nodes that count it in their fair share. The end of a job inserts a row in its
-- own transaction, so ends do not wait for each other. Rows are merged from time to time.
CREATE TABLE use_history (
  node          uuid        NOT NULL REFERENCES quota_node ON DELETE CASCADE,
  tenant        uuid        NOT NULL,
  queue         uuid        NOT NULL REFERENCES quota_node ON DELETE CASCADE,
  used_by       text        NOT NULL,
  milli_seconds bigint      NOT NULL CHECK (milli_seconds >= 0),
  at            timestamptz NOT NULL
);
CREATE INDEX use_history_groups ON use_history (node, queue, used_by);
CREATE INDEX use_history_queues ON use_history (queue);
ALTER TABLE use_history ENABLE ROW LEVEL SECURITY;
ALTER TABLE use_history FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON use_history TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON use_history TO fairlead_loops USING (true);
GRANT SELECT, INSERT ON use_history TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON use_history TO fairlead_loops;

CREATE TABLE project (
  id            uuid        PRIMARY KEY,
  tenant        uuid        NOT NULL REFERENCES tenant,
  name          text        COLLATE "C" NOT NULL,
  default_queue uuid        NOT NULL REFERENCES quota_node,
  created_at    timestamptz NOT NULL DEFAULT now(),
  version       bigint      NOT NULL,
  -- Stored, so that a project retains its namespace when the naming rule changes.
  namespace     text        COLLATE "C" NOT NULL,
  -- CIDRs that pods of the project may reach in addition to DNS and their gang, separated by blanks, null where egress is
  -- open.
  strict_egress text,
  -- Policy for jobs that do not use their GPUs, null for none.
  idle_policy   jsonb,
  -- Account that pays for the project, null for none.
  cost_centre   text,
  UNIQUE (tenant, name)
);
CREATE INDEX project_default_queue ON project (default_queue);
-- Supervisors read these few projects every half minute for each cluster.
CREATE INDEX project_strict_egress ON project (namespace) WHERE strict_egress IS NOT NULL;
ALTER TABLE project ENABLE ROW LEVEL SECURITY;
ALTER TABLE project FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON project TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON project TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON project TO fairlead_app, fairlead_loops;
