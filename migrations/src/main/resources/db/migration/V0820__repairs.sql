SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- The way of quarantined nodes up the repair ladder. Of the platform: no tenant's role sees it. It outlives its node and
-- its incident, like those it refers to neither.
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
