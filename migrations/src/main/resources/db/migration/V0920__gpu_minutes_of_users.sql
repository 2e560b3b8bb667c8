SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- GPU-minutes that running jobs of each user may still use in a queue; null is no limit.
ALTER TABLE quota_node ADD COLUMN user_gpu_minutes bigint CHECK (user_gpu_minutes >= 0);
