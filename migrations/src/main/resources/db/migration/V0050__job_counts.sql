SET LOCAL ROLE fairlead_owner;

-- Counting by groups reads this alone. All columns are keys and none is included: equal keys share one entry, so that a
-- million jobs are a few megabytes.
CREATE INDEX job_counts ON job (tenant, state, queue, project, submitted_by, gpu_milli);
CREATE INDEX job_archive_counts ON job_archive (tenant, state, queue, project, submitted_by, gpu_milli);
