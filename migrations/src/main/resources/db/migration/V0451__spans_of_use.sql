SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- To reckon an hour of last year is to read what touches it, not all that has ended since: neither an interval of use nor
-- a span of a GPU has a longest length, so no index on one end of them bounds that.
CREATE INDEX usage_interval_span ON usage_interval USING gist (int8range(started_ms, ended_ms));
CREATE INDEX gpu_interval_span ON gpu_interval USING gist (int8range(started_ms, ended_ms));
