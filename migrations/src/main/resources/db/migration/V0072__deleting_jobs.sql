SET LOCAL ROLE fairlead_owner;

-- A job that has ended may be deleted, also from the archive.
GRANT DELETE ON job_archive TO fairlead_app, fairlead_loops;
