SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- squawk-ignore-file renaming-column, renaming-table
-- Columns and tables take the names of the field: the fencing number is an epoch, as in Kafka, and the recorded progress of a
-- database is a high-water mark. A process of the earlier version cannot read the new names. Nothing was released with the
-- old ones, so no view of the old names remains.
ALTER TABLE lease RENAME COLUMN term TO epoch;
ALTER TABLE fence RENAME COLUMN term TO epoch;
ALTER TABLE attempt RENAME COLUMN term TO epoch;
ALTER TABLE installation RENAME COLUMN term_floor TO epoch_floor;
