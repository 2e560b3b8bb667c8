SET LOCAL lock_timeout = '5s';

SET LOCAL ROLE fairlead_loops;
UPDATE job_label l SET project = j.project
FROM job_all j
WHERE l.label >= 'pipeline=' AND l.label < 'pipeline>' AND j.id = l.job;

SET LOCAL ROLE fairlead_owner;
REVOKE UPDATE (project) ON job_label FROM fairlead_loops;
-- Few jobs have the label, so the index is small, and jobs without it do not write to it.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX job_label_pipelines ON job_label (tenant, project, label, job)
WHERE label >= 'pipeline=' AND label < 'pipeline>';
