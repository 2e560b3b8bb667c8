SET LOCAL ROLE fairlead_owner;

-- Counted for each placement and submit in a queue with such limits. Before the columns: writers lock a job first, then
-- its queue.
CREATE INDEX job_active_of_user ON job (queue, submitted_by) WHERE active;

-- What each user may have at once in a queue; null is no limit.
ALTER TABLE quota_node
  ADD COLUMN user_running   int    CHECK (user_running >= 0),
  ADD COLUMN user_gpu_milli bigint CHECK (user_gpu_milli >= 0),
  ADD COLUMN user_queued    int    CHECK (user_queued >= 0);
