SET LOCAL ROLE fairlead_owner;

CREATE TABLE cluster (
  id             uuid        PRIMARY KEY,
  name           text        COLLATE "C" NOT NULL UNIQUE,
  kind           text        NOT NULL,
  state          text        NOT NULL,
  capacity_type  text        NOT NULL,
  price          jsonb       NOT NULL,
  capabilities   jsonb       NOT NULL,
  -- never the credentials in the clear: sealed by the service before they get here
  connection     jsonb       NOT NULL,
  created_at     timestamptz NOT NULL,
  last_seen_at   timestamptz,
  trouble        text,
  version        bigint      NOT NULL
);

-- What the cluster offers and what others use are facts from outside and carry no check: a node that shrank below what
-- is allocated is reported, not refused. New allocations are refused by the guarded UPDATE that makes them.
CREATE TABLE node (
  id                     uuid   PRIMARY KEY,
  cluster                uuid   NOT NULL REFERENCES cluster,
  name                   text   COLLATE "C" NOT NULL,
  state                  text   NOT NULL,
  gpu_model              text   NOT NULL,
  gpu_memory_mib         bigint NOT NULL,
  allocatable_cpu        bigint NOT NULL,
  allocatable_memory_mib bigint NOT NULL,
  allocatable_gpu        bigint NOT NULL,
  allocatable_pods       bigint NOT NULL,
  allocatable_extended   jsonb  NOT NULL,
  allocated_cpu          bigint NOT NULL DEFAULT 0 CHECK (allocated_cpu >= 0),
  allocated_memory_mib   bigint NOT NULL DEFAULT 0 CHECK (allocated_memory_mib >= 0),
  allocated_gpu          bigint NOT NULL DEFAULT 0 CHECK (allocated_gpu >= 0),
  allocated_pods         bigint NOT NULL DEFAULT 0 CHECK (allocated_pods >= 0),
  allocated_extended     jsonb  NOT NULL DEFAULT '{}',
  foreign_cpu            bigint NOT NULL,
  foreign_memory_mib     bigint NOT NULL,
  foreign_gpu            bigint NOT NULL,
  foreign_pods           bigint NOT NULL,
  foreign_extended       jsonb  NOT NULL,
  labels                 jsonb  NOT NULL,
  taints                 jsonb  NOT NULL,
  topology               jsonb  NOT NULL,
  boot_id                text   NOT NULL,
  version                bigint NOT NULL,
  UNIQUE (cluster, name)
) WITH (fillfactor = 80);

-- One row per device. Its size never changes, so the check holds whatever a cluster reports.
CREATE TABLE gpu_slot (
  node            uuid NOT NULL REFERENCES node,
  idx             int  NOT NULL CHECK (idx >= 0),
  serial          text NOT NULL,
  state           text NOT NULL,
  size_milli      int  NOT NULL DEFAULT 1000 CHECK (size_milli = 1000),
  allocated_milli int  NOT NULL DEFAULT 0 CHECK (allocated_milli BETWEEN 0 AND size_milli),
  PRIMARY KEY (node, idx)
) WITH (fillfactor = 80);
