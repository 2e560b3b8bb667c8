SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- After how much idle time the owner of an attempt was told that it is suspended; null where it was told that it is not. Warnings
-- of before say nothing: those attempts are warned of once more.
ALTER TABLE attempt_efficiency ADD COLUMN warned_reclaim_ms bigint;
