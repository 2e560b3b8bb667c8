SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- squawk-ignore-file adding-field-with-default, ban-drop-index, require-concurrent-index-creation, require-concurrent-index-deletion
-- The index of attempts that a supervisor acts on had the state in its condition, so each step of an attempt wrote an entry to each index
-- of the table. Whether the pods are observed changes less often. Both indexes of unretired attempts are now one. The table is rewritten
-- while readers and writers wait, as for the phases of jobs.
DROP INDEX attempt_actionable;
DROP INDEX attempt_unretired;
ALTER TABLE attempt ADD COLUMN observed boolean NOT NULL
  GENERATED ALWAYS AS (state IN ('PULLING', 'RUNNING', 'UNKNOWN')) STORED;
CREATE INDEX attempt_unretired ON attempt (cluster, observed, id) WHERE retired_at IS NULL;

ALTER TABLE attempt SET (fillfactor = 50);
