SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Labels that a node needs to reach the data, such as its zone; empty where each node of the cluster does.
ALTER TABLE volume ADD COLUMN node_labels jsonb NOT NULL DEFAULT '{}';
