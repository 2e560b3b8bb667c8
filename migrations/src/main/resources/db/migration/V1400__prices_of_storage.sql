SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Prices of storage: micros is of one GiB for a month of the calendar, and the scope is a cluster and a storage class. The rows
-- stay as they are, of GPUs.
ALTER TABLE price ADD COLUMN storage boolean NOT NULL DEFAULT false;
ALTER TABLE price ADD COLUMN storage_class text COLLATE "C";
ALTER TABLE price ADD CONSTRAINT price_storage_check CHECK (
  CASE WHEN storage THEN pool IS NULL AND model IS NULL AND capacity_type IS NULL AND committed_gpus IS NULL
  ELSE storage_class IS NULL END) NOT VALID;
