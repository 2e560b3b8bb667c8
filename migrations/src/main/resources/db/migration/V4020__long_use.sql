SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- The devices of an old month are in intervals that ended in that month or a day later, and in longer intervals.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX usage_interval_long ON usage_interval (tenant, ended_ms, started_ms) WHERE ended_ms - started_ms > 86400000;
