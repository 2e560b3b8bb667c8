-- The namespace of a project is stored, so that its name can carry tenant, project and installation without a move of
-- what runs. Where no cluster was ever registered there is nothing to keep, and the first project is named as
-- Project.newNamespace names a new one. Otherwise a project keeps its namespace; where projects of several tenants
-- shared one, the oldest keeps it.
SET LOCAL ROLE fairlead_owner;
ALTER TABLE project ADD COLUMN namespace text COLLATE "C";

SET LOCAL ROLE fairlead_loops;
UPDATE project p
SET namespace = CASE
  WHEN p.id = (SELECT q.id FROM project q WHERE q.name = p.name ORDER BY q.id LIMIT 1)
       AND (EXISTS (SELECT FROM cluster) OR EXISTS (SELECT FROM cluster_removed))
    THEN 'fairlead-' || p.name
  ELSE left('fairlead-' || t.name || '-' || p.name, 52) || '-'
       || left(encode(sha256(convert_to(i.id || '/' || p.id, 'UTF8')), 'hex'), 10)
  END
FROM tenant t, installation i
WHERE t.id = p.tenant;

SET LOCAL ROLE fairlead_owner;
ALTER TABLE project ALTER COLUMN namespace SET NOT NULL;
CREATE UNIQUE INDEX project_namespace ON project (namespace);
