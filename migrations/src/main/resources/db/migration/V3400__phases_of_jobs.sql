SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- squawk-ignore-file adding-field-with-default, ban-drop-index, require-concurrent-index-creation, require-concurrent-index-deletion
-- Ten indexes had the state in their columns or condition, so each step of a job wrote an entry to a dozen indexes. Indexes now have the
-- phase, which has one value for ADMITTED, STARTING and RUNNING. Their steps write no index entry (HOT). An index on the state, or a
-- condition on it, would end that for all indexes. The column fills the existing rows, so the table is rewritten while readers and writers wait. Old
-- indexes are dropped before, so that the rewrite does not build them.
DROP INDEX job_waiting;
DROP INDEX job_queued_of_user;
DROP INDEX job_stopping;
DROP INDEX job_counts_active;
DROP INDEX job_newest_of_state;
DROP INDEX job_newest_of_user_and_state;
DROP INDEX job_newest_of_queue_and_state;
DROP INDEX job_newest_of_project_and_state;
DROP INDEX job_of_state_by_priority;
DROP INDEX job_of_state_by_name;

ALTER TABLE job ADD COLUMN phase text NOT NULL
  GENERATED ALWAYS AS (CASE WHEN state IN ('ADMITTED', 'STARTING', 'RUNNING') THEN 'PLACED' ELSE state END) STORED;

-- Only this index tells waiting jobs from others without a tenant. Limits of users, the place in a queue and samples of waits read it.
CREATE INDEX job_queued_of_user ON job (queue, submitted_by) WHERE phase = 'QUEUED';
CREATE INDEX job_stopping ON job (id) WHERE phase IN ('CANCELLING', 'SUSPENDED');
CREATE INDEX job_counts_active ON job (tenant, phase, queue, project, submitted_by, gpu_milli) WHERE active;
CREATE INDEX job_newest_of_phase ON job (tenant, phase, created_at DESC, id DESC);
CREATE INDEX job_newest_of_user_and_phase ON job (tenant, submitted_by, phase, created_at DESC, id DESC);
CREATE INDEX job_newest_of_queue_and_phase ON job (queue, phase, created_at DESC, id DESC);
CREATE INDEX job_newest_of_project_and_phase ON job (project, phase, created_at DESC, id DESC);
CREATE INDEX job_of_phase_by_priority ON job (tenant, phase, queue_rank, created_at, id);
CREATE INDEX job_of_phase_by_name ON job (tenant, phase, name, created_at, id);

-- Room for the next version of each row in its page. A batch changes all rows of a page in one transaction. Pages that exist stay full,
-- because most of their jobs have ended.
ALTER TABLE job SET (fillfactor = 50);

-- Archived jobs have ended, and the phase of an ended job is its state.
CREATE OR REPLACE VIEW job_all WITH (security_invoker = true) AS
  SELECT id, tenant, project, queue, name, submitted_by, priority, gpu_milli, created_at, state, active, changed_at,
         started_at, ended_at, attempts, failures, retry_at, failure, progress, spec, labels, version, queue_rank, faults, checks, phase
  FROM job
  UNION ALL
  SELECT id, tenant, project, queue, name, submitted_by, priority, gpu_milli, created_at, state, active, changed_at,
         started_at, ended_at, attempts, failures, retry_at, failure, progress, spec, labels, version, queue_rank, faults, NULL::jsonb,
         state
  FROM job_archive;
