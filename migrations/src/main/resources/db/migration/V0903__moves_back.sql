SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Attempts that were moved back to reserved capacity: each plan counts those of the last hour, by queue.
CREATE INDEX attempt_moved_back ON attempt (ended_at) WHERE (failure ->> 'right') = 'MOVED_BACK';
