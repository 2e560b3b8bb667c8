SET LOCAL ROLE fairlead_owner;

-- The lists by time of a user, a queue and a project, of each state for itself: who looks for the one that failed among
-- their hundred thousand reads one row. A list of all states is one of each, joined by their order.
CREATE INDEX job_newest_of_user_and_state ON job (tenant, submitted_by, state, created_at DESC, id DESC);
CREATE INDEX job_newest_of_queue_and_state ON job (queue, state, created_at DESC, id DESC);
CREATE INDEX job_newest_of_project_and_state ON job (project, state, created_at DESC, id DESC);
DROP INDEX job_newest_of_user;
DROP INDEX job_newest_of_queue;
DROP INDEX job_newest_of_project;

CREATE INDEX job_archive_newest_of_user_and_state ON job_archive (tenant, submitted_by, state, created_at DESC, id DESC);
CREATE INDEX job_archive_newest_of_queue_and_state ON job_archive (queue, state, created_at DESC, id DESC);
CREATE INDEX job_archive_newest_of_project_and_state ON job_archive (project, state, created_at DESC, id DESC);
DROP INDEX job_archive_newest_of_user;
DROP INDEX job_archive_newest_of_queue;
DROP INDEX job_archive_newest_of_project;
