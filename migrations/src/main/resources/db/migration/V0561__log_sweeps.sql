SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- The sweeps read what they remove, and never what was removed before. Few rows are there: logs are new.
CREATE INDEX log_member_kept ON log_member (ended_at, attempt, role, idx, incarnation)
  WHERE ended_at IS NOT NULL AND removed IS NULL;
CREATE INDEX log_member_removed ON log_member (ended_at) WHERE removed IS NOT NULL;
DROP INDEX log_member_ended;
