SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- squawk-ignore-file ban-drop-column, renaming-column, adding-not-nullable-field
-- An update logs a row from its first to its last changed column. A placement and an end change the amounts and the version of a node, and
-- the labels, taints and topology were between them. A report about a member changes the state and the columns after the GPUs.
ALTER TABLE node DISABLE TRIGGER USER;
ALTER TABLE node ADD COLUMN last_labels jsonb, ADD COLUMN last_taints jsonb, ADD COLUMN last_topology jsonb;
UPDATE node SET last_labels = labels, last_taints = taints, last_topology = topology;
ALTER TABLE node
  ALTER COLUMN last_labels SET NOT NULL, ALTER COLUMN last_taints SET NOT NULL, ALTER COLUMN last_topology SET NOT NULL,
  DROP COLUMN labels, DROP COLUMN taints, DROP COLUMN topology;
ALTER TABLE node RENAME COLUMN last_labels TO labels;
ALTER TABLE node RENAME COLUMN last_taints TO taints;
ALTER TABLE node RENAME COLUMN last_topology TO topology;
ALTER TABLE node ENABLE TRIGGER USER;

ALTER TABLE member ADD COLUMN last_state text;
ALTER TABLE member NO FORCE ROW LEVEL SECURITY;
UPDATE member SET last_state = state;
ALTER TABLE member FORCE ROW LEVEL SECURITY;
ALTER TABLE member ALTER COLUMN last_state SET NOT NULL, DROP COLUMN state;
ALTER TABLE member RENAME COLUMN last_state TO state;

-- A batch changes all rows of a page in one transaction, and a changed row is longer.
ALTER TABLE member SET (fillfactor = 40);
