SET LOCAL lock_timeout = '5s';
-- A row that another process is writing has to be among the copied rows.
SET LOCAL ROLE fairlead_owner;
LOCK TABLE health_test IN ACCESS EXCLUSIVE MODE;

-- Health tests become documents of the platform. Runs refer to a test by its name, also after it was deleted.
SET LOCAL ROLE fairlead_loops;
INSERT INTO config_document (kind, name, version, body) SELECT 'HEALTH_TEST', name, 1, content FROM health_test;

SET LOCAL ROLE fairlead_owner;
-- squawk-ignore ban-drop-table
DROP TABLE health_test;
