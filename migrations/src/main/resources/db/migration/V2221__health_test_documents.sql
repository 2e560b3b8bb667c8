SET LOCAL lock_timeout = '5s';

-- Health tests become documents of the platform. Runs refer to a test by its name, also after it was deleted.
SET LOCAL ROLE fairlead_loops;
INSERT INTO config_document (kind, name, version, body) SELECT 'HEALTH_TEST', name, 1, content FROM health_test;

SET LOCAL ROLE fairlead_owner;
-- squawk-ignore ban-drop-table
DROP TABLE health_test;
