-- The namespace of a project is stored, so that its name can carry tenant, project and installation without a move of
-- what runs. Where no cluster was ever registered there is nothing to keep, and the first project is named as
-- Project.newNamespace names a new one. Otherwise a project that ever had a job keeps its namespace, with its pods and
-- claims: also where projects of several tenants share one. Of those that never had a job, the oldest of a name keeps it.
SET LOCAL lock_timeout = '5s';
SET LOCAL ROLE fairlead_owner;
ALTER TABLE project ADD COLUMN namespace text COLLATE "C";

SET LOCAL ROLE fairlead_loops;
UPDATE project p
SET namespace = CASE
  WHEN (EXISTS (SELECT FROM cluster) OR EXISTS (SELECT FROM cluster_removed))
       AND (p.id = (SELECT q.id FROM project q WHERE q.name = p.name ORDER BY q.id LIMIT 1)
            OR EXISTS (SELECT FROM job j WHERE j.project = p.id)
            OR EXISTS (SELECT FROM job_archive j WHERE j.project = p.id))
    THEN 'fairlead-' || p.name
  ELSE left('fairlead-' || t.name || '-' || p.name, 52) || '-'
       || left(encode(sha256(convert_to(i.id || '/' || p.id, 'UTF8')), 'hex'), 10)
  END
FROM tenant t, installation i
WHERE t.id = p.tenant;

SET LOCAL ROLE fairlead_owner;
ALTER TABLE project ALTER COLUMN namespace SET NOT NULL;
