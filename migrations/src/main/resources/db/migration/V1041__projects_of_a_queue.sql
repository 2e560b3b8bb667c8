SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Names of the projects that may use a queue; null is all of its tenant.
ALTER TABLE quota_node ADD COLUMN queue_projects text COLLATE "C";
ALTER TABLE quota_node ADD CONSTRAINT quota_node_queue_projects_check
  CHECK (queue_projects IS NULL OR queue_projects IS JSON ARRAY) NOT VALID;
