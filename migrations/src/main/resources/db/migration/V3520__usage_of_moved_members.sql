SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- squawk-ignore-file ban-drop-constraint, require-concurrent-index-creation
-- A member that follows its pod to another node has an interval of use on each node. Only intervals without length can be equal.
CREATE UNIQUE INDEX usage_interval_one ON usage_interval (attempt, role, idx, started_ms, ended_ms);
ALTER TABLE usage_interval DROP CONSTRAINT usage_interval_pkey;
ALTER TABLE usage_interval ADD CONSTRAINT usage_interval_pkey PRIMARY KEY USING INDEX usage_interval_one;
