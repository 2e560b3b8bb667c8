SET LOCAL ROLE fairlead_owner;

-- Order of queues as one ascending key: a page begins behind (queue_rank, created_at, id). An expression in its place
-- would not do, since under row security only leakproof functions come before the reader's own rows are known.
ALTER TABLE job ADD COLUMN queue_rank int NOT NULL GENERATED ALWAYS AS (-priority) STORED;
ALTER TABLE job_archive ADD COLUMN queue_rank int NOT NULL GENERATED ALWAYS AS (-priority) STORED;
CREATE OR REPLACE VIEW job_all WITH (security_invoker = true) AS
  SELECT id, tenant, project, queue, name, submitted_by, priority, gpu_milli, created_at, state, active, changed_at,
         started_at, ended_at, attempts, failures, retry_at, failure, progress, spec, labels, version, queue_rank
  FROM job
  UNION ALL
  SELECT id, tenant, project, queue, name, submitted_by, priority, gpu_milli, created_at, state, active, changed_at,
         started_at, ended_at, attempts, failures, retry_at, failure, progress, spec, labels, version, queue_rank
  FROM job_archive;

-- Behind each order of the list of jobs, and each filter that narrows it much, stands an index.
CREATE INDEX job_newest_of_state ON job (tenant, state, created_at DESC, id DESC);
CREATE INDEX job_newest_of_queue ON job (queue, created_at DESC, id DESC);
CREATE INDEX job_newest_of_user ON job (tenant, submitted_by, created_at DESC, id DESC);
CREATE INDEX job_by_priority ON job (tenant, queue_rank, created_at, id);
CREATE INDEX job_by_name ON job (tenant, name, created_at, id);
DROP INDEX job_queue;

CREATE INDEX job_archive_newest_of_state ON job_archive (tenant, state, created_at DESC, id DESC);
CREATE INDEX job_archive_newest_of_queue ON job_archive (queue, created_at DESC, id DESC);
CREATE INDEX job_archive_newest_of_user ON job_archive (tenant, submitted_by, created_at DESC, id DESC);
CREATE INDEX job_archive_by_priority ON job_archive (tenant, queue_rank, created_at, id);
CREATE INDEX job_archive_by_name ON job_archive (tenant, name, created_at, id);
