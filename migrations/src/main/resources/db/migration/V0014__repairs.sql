SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Progress of quarantined nodes on the repair ladder. It outlives its node and its incident, so it has no foreign keys.
CREATE TABLE repair (
  id       uuid        PRIMARY KEY,
  node     uuid        NOT NULL,
  ended_at timestamptz,
  content  jsonb       NOT NULL,
  version  bigint      NOT NULL
);
CREATE UNIQUE INDEX repair_open ON repair (node) WHERE ended_at IS NULL;
CREATE INDEX repair_of_node ON repair (node, id DESC);
CREATE INDEX repair_ended ON repair (ended_at) WHERE ended_at IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON repair TO fairlead_loops;

-- The repairer of the machines of a cluster.
CREATE TABLE repairer (
  cluster uuid   PRIMARY KEY REFERENCES cluster ON DELETE CASCADE,
  content jsonb  NOT NULL,
  version bigint NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON repairer TO fairlead_loops;

-- Requests to repairers, from before the first call until their end. A machine has one at a time, so no two steps run on it
-- at once.
CREATE TABLE repair_task (
  id       uuid        PRIMARY KEY,
  repair   uuid        NOT NULL REFERENCES repair ON DELETE CASCADE,
  cluster  uuid        NOT NULL,
  node     uuid        NOT NULL,
  ended_at timestamptz,
  content  jsonb       NOT NULL,
  version  bigint      NOT NULL
);
CREATE UNIQUE INDEX repair_task_open ON repair_task (node) WHERE ended_at IS NULL;
CREATE INDEX repair_task_of_repair ON repair_task (repair, id);
GRANT SELECT, INSERT, UPDATE, DELETE ON repair_task TO fairlead_loops;
