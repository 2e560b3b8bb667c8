SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- What the jobs of each project, and all jobs, may have at once in a queue; null is no limit.
ALTER TABLE quota_node ADD COLUMN project_limits text COLLATE "C";
ALTER TABLE quota_node ADD COLUMN queue_limits text COLLATE "C";
ALTER TABLE quota_node ADD CONSTRAINT quota_node_project_limits_check
  CHECK (project_limits IS NULL OR project_limits IS JSON OBJECT) NOT VALID;
ALTER TABLE quota_node ADD CONSTRAINT quota_node_queue_limits_check
  CHECK (queue_limits IS NULL OR queue_limits IS JSON OBJECT) NOT VALID;
