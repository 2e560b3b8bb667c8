SET LOCAL ROLE fairlead_owner;

-- A cluster goes when nothing lives there; what ended there is still told, by its name. So the history no longer refers to
-- the row: that no attempt is placed on a removed cluster is guarded by its nodes, which are locked and gone.
CREATE TABLE cluster_removed (
  id         uuid        PRIMARY KEY,
  name       text        COLLATE "C" NOT NULL,
  removed_at timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT ON cluster_removed TO fairlead_app, fairlead_loops;

ALTER TABLE attempt DROP CONSTRAINT attempt_cluster_fkey;
ALTER TABLE operation DROP CONSTRAINT operation_cluster_fkey;
ALTER TABLE operation DROP CONSTRAINT operation_node_fkey;

-- A Kubernetes cluster that is registered again remembers the terms and marks of its former lease: new leases begin above.
ALTER TABLE installation ADD COLUMN term_floor bigint NOT NULL DEFAULT 0;
ALTER TABLE installation ADD COLUMN mark_floor bigint NOT NULL DEFAULT 0;
GRANT UPDATE (term_floor, mark_floor) ON installation TO fairlead_loops;
GRANT DELETE ON lease, fence TO fairlead_loops;
