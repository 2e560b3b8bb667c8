SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- That an attempt cannot be seen, and that it can again, stand among the decisions of its job. The rows of before are of fewer
-- kinds: they need no check.
-- The check is replaced in the same transaction, by one that lets more in: nothing that is written today is refused.
-- squawk-ignore ban-drop-constraint
ALTER TABLE job_decision DROP CONSTRAINT job_decision_kind_check;
ALTER TABLE job_decision ADD CONSTRAINT job_decision_kind_check
  CHECK (kind IN ('PLACED', 'WAITED', 'EVICTED', 'MOVED', 'UNSEEN', 'SEEN')) NOT VALID;
