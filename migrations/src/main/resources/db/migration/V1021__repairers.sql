SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- What repairs the machines of a cluster. Of the platform: no tenant's role sees it.
CREATE TABLE repairer (
  cluster uuid   PRIMARY KEY REFERENCES cluster ON DELETE CASCADE,
  content jsonb  NOT NULL,
  version bigint NOT NULL
);

-- What repairers were asked for, from before the first call until they have done or left it. A machine has one at a time,
-- so that no two steps are done to it at once.
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

GRANT SELECT, INSERT, UPDATE, DELETE ON repairer, repair_task TO fairlead_loops;
