SET LOCAL ROLE fairlead_owner;

-- Attempts that ended for the node they were on: each plan asks for those of the last hour.
CREATE INDEX attempt_place_failed ON attempt (ended_at)
  WHERE (failure ->> 'cause') IN ('PLACEMENT_CONFLICT', 'START_TIMEOUT', 'NODE_FAILURE', 'GPU_FAULT');
