SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Most of a row of job is its spec, which each update of the state copied. PostgreSQL stores a column out of line only in rows above
-- 2 kB, and few rows are that long. The filler makes each new row that long. It compresses to 30 bytes and nothing reads it. Existing
-- rows get it with their next update.
-- squawk-ignore adding-field-with-default
ALTER TABLE job ADD COLUMN filler text COLLATE "C" NOT NULL DEFAULT repeat(' ', 1000);
-- A row without its spec is below this length, so that only the spec moves out.
ALTER TABLE job SET (toast_tuple_target = 512);
