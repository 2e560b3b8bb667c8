SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

ALTER TABLE quota_node ADD COLUMN preempt_while_borrowing text NOT NULL DEFAULT 'NEVER';
ALTER TABLE quota_node ADD COLUMN preempt_max_victim_priority integer;
ALTER TABLE quota_node ADD COLUMN flavor_when_can_borrow text NOT NULL DEFAULT 'BORROW';
ALTER TABLE quota_node ADD COLUMN flavor_when_can_preempt text NOT NULL DEFAULT 'TRY_NEXT_FLAVOR';
ALTER TABLE quota_node ADD COLUMN flavor_preference text NOT NULL DEFAULT 'BORROWING';
