SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Since when its cluster has shown the node without a gap: one that was there before its pool's supplier was asked cannot
-- have been added by it. Null for nodes of before the column.
ALTER TABLE node ADD COLUMN shown_since timestamptz;
ALTER TABLE node ALTER COLUMN shown_since SET DEFAULT now();
