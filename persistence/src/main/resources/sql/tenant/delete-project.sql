-- Jobs in the archive have no foreign key to it.
DELETE FROM project p
WHERE p.id = :id AND p.version = :version AND NOT EXISTS (SELECT FROM job_archive a WHERE a.project = p.id)
