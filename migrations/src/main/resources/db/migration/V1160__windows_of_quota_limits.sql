SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- When other amounts of the limit hold; null for never. Processes of before the column do not read it, and drop it when they
-- change the quota.
ALTER TABLE quota_limit ADD COLUMN windows jsonb;
