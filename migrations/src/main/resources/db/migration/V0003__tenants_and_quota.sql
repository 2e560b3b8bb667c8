SET LOCAL ROLE fairlead_owner;

CREATE TABLE tenant (
  id         uuid        PRIMARY KEY,
  name       text        COLLATE "C" NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  version    bigint      NOT NULL
);

-- A node of the quota tree; a queue is a node with an order. Limits are empty where the node is not limited.
CREATE TABLE quota_node (
  id                       uuid   PRIMARY KEY,
  tenant                   uuid   NOT NULL REFERENCES tenant,
  name                     text   COLLATE "C" NOT NULL,
  parent                   uuid   REFERENCES quota_node,
  depth                    int    NOT NULL CHECK (depth >= 0 AND (depth = 0) = (parent IS NULL)),
  weight                   bigint NOT NULL CHECK (weight >= 0),
  preempt_within           text   NOT NULL,
  preempt_reclaim          text   NOT NULL,
  preempt_fair_share       boolean NOT NULL,
  queue_order              text,
  queue_state              text,
  default_max_runtime_millis bigint,
  version                  bigint NOT NULL,
  UNIQUE (tenant, name),
  CHECK ((queue_order IS NULL) = (queue_state IS NULL))
);
CREATE INDEX quota_node_parent ON quota_node (parent);

CREATE TABLE quota_limit (
  node            uuid   NOT NULL REFERENCES quota_node ON DELETE CASCADE,
  tenant          uuid   NOT NULL,
  model           text   COLLATE "C" NOT NULL,
  capacity        text   COLLATE "C" NOT NULL,
  resource        text   COLLATE "C" NOT NULL,
  ordinal         int    NOT NULL,
  nominal         bigint CHECK (nominal >= 0),
  borrowing_limit bigint CHECK (borrowing_limit >= 0),
  lending_limit   bigint CHECK (lending_limit >= 0),
  PRIMARY KEY (node, model, capacity, resource)
);
CREATE INDEX quota_limit_tenant ON quota_limit (tenant);

-- Authoritative counters, changed in the transaction of the allocation, under the lock of the node's row.
CREATE TABLE quota_usage (
  node     uuid   NOT NULL REFERENCES quota_node ON DELETE CASCADE,
  tenant   uuid   NOT NULL,
  model    text   COLLATE "C" NOT NULL,
  capacity text   COLLATE "C" NOT NULL,
  resource text   COLLATE "C" NOT NULL,
  used     bigint NOT NULL,
  PRIMARY KEY (node, model, capacity, resource)
);
CREATE INDEX quota_usage_tenant ON quota_usage (tenant);

CREATE TABLE project (
  id            uuid        PRIMARY KEY,
  tenant        uuid        NOT NULL REFERENCES tenant,
  name          text        COLLATE "C" NOT NULL,
  default_queue uuid        NOT NULL REFERENCES quota_node,
  created_at    timestamptz NOT NULL DEFAULT now(),
  version       bigint      NOT NULL,
  UNIQUE (tenant, name)
);
CREATE INDEX project_default_queue ON project (default_queue);

CREATE TABLE role_binding (
  tenant    uuid NOT NULL REFERENCES tenant,
  project   uuid REFERENCES project,
  principal text COLLATE "C" NOT NULL,
  role      text COLLATE "C" NOT NULL,
  UNIQUE NULLS NOT DISTINCT (tenant, project, principal, role)
);
