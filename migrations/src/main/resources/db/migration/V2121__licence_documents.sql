SET LOCAL lock_timeout = '5s';
-- A row that another process is writing has to be among the copied rows.
SET LOCAL ROLE fairlead_owner;
LOCK TABLE licence IN ACCESS EXCLUSIVE MODE;

-- Licences become documents. A hold refers to the document by kind and name.
SET LOCAL ROLE fairlead_loops;
INSERT INTO config_document (kind, name, version, body)
SELECT 'LICENCE', name, 1, jsonb_build_object('name', name, 'count', count, 'cluster', cluster) FROM licence;

SET LOCAL ROLE fairlead_owner;
-- Holds are few: one for each licence and running job.
-- squawk-ignore ban-drop-constraint
ALTER TABLE licence_hold DROP CONSTRAINT licence_hold_licence_fkey;
ALTER TABLE licence_hold ADD COLUMN kind text COLLATE "C" NOT NULL DEFAULT 'LICENCE' CHECK (kind = 'LICENCE');
-- The check of the holds reads the documents as their owner, who sees none while row-level security binds the owner.
ALTER TABLE config_document NO FORCE ROW LEVEL SECURITY;
-- squawk-ignore adding-foreign-key-constraint, constraint-missing-not-valid
ALTER TABLE licence_hold ADD CONSTRAINT licence_hold_document
  FOREIGN KEY (kind, licence) REFERENCES config_document (kind, name);
ALTER TABLE config_document FORCE ROW LEVEL SECURITY;
-- squawk-ignore ban-drop-index, require-concurrent-index-deletion
DROP INDEX licence_hold_of;
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX licence_hold_of ON licence_hold (licence, kind) INCLUDE (count);
-- squawk-ignore ban-drop-table
DROP TABLE licence;
