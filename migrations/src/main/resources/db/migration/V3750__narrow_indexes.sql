SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- squawk-ignore-file ban-drop-index, require-concurrent-index-creation, require-concurrent-index-deletion
-- The lists of jobs are ordered by the id after the time. Only the jobs of one request have the same time, and a list sorts these. Without
-- the id, an entry is 16 bytes shorter, and equal keys share one entry. Each job writes three entries to each of these indexes.
DROP INDEX job_newest_of_phase;
DROP INDEX job_newest_of_user_and_phase;
DROP INDEX job_newest_of_queue_and_phase;
DROP INDEX job_newest_of_project_and_phase;
DROP INDEX job_of_phase_by_priority;
DROP INDEX job_of_phase_by_name;
CREATE INDEX job_newest_of_phase ON job (tenant, phase, created_at DESC);
CREATE INDEX job_newest_of_user_and_phase ON job (tenant, submitted_by, phase, created_at DESC);
CREATE INDEX job_newest_of_queue_and_phase ON job (queue, phase, created_at DESC);
CREATE INDEX job_newest_of_project_and_phase ON job (project, phase, created_at DESC);
CREATE INDEX job_of_phase_by_priority ON job (tenant, phase, queue_rank, created_at);
CREATE INDEX job_of_phase_by_name ON job (tenant, phase, name, created_at);

-- The deletion of a job finds its logs by its attempts.
DROP INDEX log_member_of_job;
