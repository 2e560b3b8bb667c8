SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- GPUs that are paid for as long as a price applies, used or not, and what they cost in all. The rows stay as they are.
ALTER TABLE price ADD COLUMN committed_gpus int;
ALTER TABLE price ADD COLUMN committed_micros bigint;
ALTER TABLE price ADD CONSTRAINT price_committed_check CHECK (
  committed_gpus IS NULL AND committed_micros IS NULL
  OR committed_gpus > 0 AND committed_micros >= 0 AND valid_to IS NOT NULL AND capacity_type = 'RESERVED') NOT VALID;
