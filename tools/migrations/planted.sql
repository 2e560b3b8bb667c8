-- No migration: each statement breaks the rule above it, and tools/suites/migrations fails unless squawk says so.
-- breaks require-lock-timeout adding-field-with-default
ALTER TABLE job ADD COLUMN planted_volatile uuid NOT NULL DEFAULT gen_random_uuid();
-- breaks adding-required-field
ALTER TABLE job ADD COLUMN planted_required text NOT NULL;
-- breaks changing-column-type
ALTER TABLE job ALTER COLUMN priority TYPE bigint;
-- breaks adding-not-nullable-field
ALTER TABLE job ALTER COLUMN failure SET NOT NULL;
-- breaks constraint-missing-not-valid
ALTER TABLE job ADD CONSTRAINT planted_check CHECK (priority > 0);
-- breaks adding-foreign-key-constraint
ALTER TABLE job ADD CONSTRAINT planted_key FOREIGN KEY (queue) REFERENCES quota_node (id);
-- breaks disallowed-unique-constraint
ALTER TABLE job ADD CONSTRAINT planted_unique UNIQUE (name);
-- breaks require-concurrent-index-creation
CREATE INDEX planted ON job (name);
-- breaks require-concurrent-index-deletion
DROP INDEX job_queue;
-- breaks renaming-column
ALTER TABLE job RENAME COLUMN name TO planted_name;
-- breaks renaming-table
ALTER TABLE job RENAME TO planted_job;
-- breaks ban-drop-column
ALTER TABLE job DROP COLUMN failure;
-- breaks ban-drop-table
DROP TABLE job_label;
