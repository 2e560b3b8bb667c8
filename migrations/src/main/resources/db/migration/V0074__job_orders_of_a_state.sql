SET LOCAL ROLE fairlead_owner;

-- The orders by priority and by name, of each state for itself: a page of a rare state would otherwise be looked for among
-- all jobs. A page of all states is one of each, joined by their order.
CREATE INDEX job_of_state_by_priority ON job (tenant, state, queue_rank, created_at, id);
CREATE INDEX job_of_state_by_name ON job (tenant, state, name, created_at, id);
DROP INDEX job_by_priority;
DROP INDEX job_by_name;

CREATE INDEX job_archive_of_state_by_priority ON job_archive (tenant, state, queue_rank, created_at, id);
CREATE INDEX job_archive_of_state_by_name ON job_archive (tenant, state, name, created_at, id);
DROP INDEX job_archive_by_priority;
DROP INDEX job_archive_by_name;
