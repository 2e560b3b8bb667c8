SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- When a pool takes work: its windows, their lead and what becomes of work that overruns; null for always. Each node's row
-- says it too. Processes of before the column neither read nor write it.
ALTER TABLE pool ADD COLUMN windows jsonb;
ALTER TABLE node ADD COLUMN pool_windows text COLLATE "C";
-- The supervisor of a cluster asks which nodes of closed pools still hold work.
CREATE INDEX node_in_windows ON node (cluster) WHERE pool_windows IS NOT NULL;
