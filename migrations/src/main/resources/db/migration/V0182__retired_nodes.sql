SET LOCAL ROLE fairlead_owner;

-- Nodes that their clusters no longer list and that nothing refers to, as the rows they were: every report, plan and
-- comparison reads the table node. One that comes back keeps its id and its cordon.
CREATE TABLE node_retired (
  id       uuid  PRIMARY KEY,
  cluster  uuid  NOT NULL REFERENCES cluster ON DELETE CASCADE,
  name     text  COLLATE "C" NOT NULL,
  cordon   text  NOT NULL,
  node_row jsonb NOT NULL,
  gpu_rows jsonb NOT NULL,
  UNIQUE (cluster, name)
);
CREATE INDEX node_retired_cordoned ON node_retired (cluster, id) WHERE cordon <> 'NONE';
GRANT SELECT, INSERT, UPDATE, DELETE ON node_retired TO fairlead_app, fairlead_loops;

CREATE INDEX node_to_retire ON node (id) WHERE state = 'RETIRED';
