SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- The place of a gang that loses a node to a fault is kept for its next attempt.
ALTER TABLE reservation DROP CONSTRAINT reservation_kind_check;
ALTER TABLE reservation ADD CONSTRAINT reservation_kind_check
  CHECK (kind IN ('PREEMPTION', 'BACKFILL', 'DRAIN', 'FAULT'));

-- How many nodes of a pool are kept as spares, such as '1 per 32'; null for none. Each node's row says it too.
ALTER TABLE pool ADD COLUMN spares text COLLATE "C";
ALTER TABLE node ADD COLUMN pool_spares text COLLATE "C";
