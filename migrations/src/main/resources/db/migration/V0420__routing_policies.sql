SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- The tiers by which jobs of a queue choose capacity, as one document; null for none.
ALTER TABLE quota_node ADD COLUMN routing text COLLATE "C";
ALTER TABLE quota_node ADD CONSTRAINT quota_node_routing_check
  CHECK (routing IS NULL OR (routing IS JSON OBJECT AND queue_order IS NOT NULL)) NOT VALID;
