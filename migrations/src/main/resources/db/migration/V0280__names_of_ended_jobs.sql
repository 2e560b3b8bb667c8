SET LOCAL ROLE fairlead_owner;

-- A submit asks which jobs of its project have a name, ended ones too. Active jobs have job_active_name.
CREATE INDEX job_ended_of_name ON job (project, name, created_at DESC) WHERE NOT active;
CREATE INDEX job_archive_of_name ON job_archive (project, name, created_at DESC);
