SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Each hour of use has a cluster, and each GPU has a capacity type. No release has stored other rows, so reports need not
-- recognise them.
-- squawk-ignore ban-drop-view
DROP VIEW spill_by_hour;
-- squawk-ignore require-concurrent-index-deletion
DROP INDEX usage_hour_unplaced;
-- squawk-ignore ban-drop-column
ALTER TABLE usage_watermark DROP COLUMN placed_ms;
ALTER TABLE usage_hour ADD CONSTRAINT usage_hour_placed CHECK (cluster IS NOT NULL) NOT VALID;
ALTER TABLE fleet_hour ADD CONSTRAINT fleet_hour_paid CHECK (capacity IS NOT NULL) NOT VALID;
ALTER TABLE gpu_interval ADD CONSTRAINT gpu_interval_paid CHECK (capacity IS NOT NULL) NOT VALID;
