SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Names of the admission checks of a queue; null for none.
ALTER TABLE quota_node ADD COLUMN queue_checks text COLLATE "C";
ALTER TABLE quota_node ADD CONSTRAINT quota_node_queue_checks_check
  CHECK (queue_checks IS NULL OR queue_checks IS JSON ARRAY) NOT VALID;

-- Requested admission checks of a job with their states, in the row that its version guards; null for none. They end with the job,
-- so the archive has none.
ALTER TABLE job ADD COLUMN checks jsonb;
CREATE OR REPLACE VIEW job_all WITH (security_invoker = true) AS
  SELECT id, tenant, project, queue, name, submitted_by, priority, gpu_milli, created_at, state, active, changed_at,
         started_at, ended_at, attempts, failures, retry_at, failure, progress, spec, labels, version, queue_rank, faults, checks
  FROM job
  UNION ALL
  SELECT id, tenant, project, queue, name, submitted_by, priority, gpu_milli, created_at, state, active, changed_at,
         started_at, ended_at, attempts, failures, retry_at, failure, progress, spec, labels, version, queue_rank, faults, NULL::jsonb
  FROM job_archive;
