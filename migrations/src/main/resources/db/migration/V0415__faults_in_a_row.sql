SET LOCAL ROLE fairlead_owner;

-- Attempts in a row that incidents ended: a job that breaks place after place is tried again later and later, and ends.
ALTER TABLE job ADD COLUMN faults int NOT NULL DEFAULT 0;
ALTER TABLE job_element ADD COLUMN faults int NOT NULL DEFAULT 0;
ALTER TABLE job_archive ADD COLUMN faults int NOT NULL DEFAULT 0;
CREATE OR REPLACE VIEW job_all WITH (security_invoker = true) AS
  SELECT id, tenant, project, queue, name, submitted_by, priority, gpu_milli, created_at, state, active, changed_at,
         started_at, ended_at, attempts, failures, retry_at, failure, progress, spec, labels, version, queue_rank, faults
  FROM job
  UNION ALL
  SELECT id, tenant, project, queue, name, submitted_by, priority, gpu_milli, created_at, state, active, changed_at,
         started_at, ended_at, attempts, failures, retry_at, failure, progress, spec, labels, version, queue_rank, faults
  FROM job_archive;
