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

ALTER TABLE lease RENAME COLUMN mark TO watermark;
ALTER TABLE log_chunk RENAME COLUMN mark TO nonce;
ALTER TABLE installation RENAME COLUMN mark_floor TO watermark_floor;
ALTER TABLE usage_mark RENAME TO usage_watermark;

-- Views and functions with parsed bodies follow the rename. This body is text.
CREATE OR REPLACE FUNCTION fairlead_unsum_days() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM usage_watermark FOR NO KEY UPDATE;
  IF TG_OP = 'TRUNCATE' THEN
    DELETE FROM usage_day_summed;
  ELSE
    DELETE FROM usage_day_summed WHERE day_ms IN (SELECT DISTINCT hour_ms - hour_ms % 86400000 FROM changed);
  END IF;
  RETURN NULL;
END
$$;

-- Stored settings and capabilities of clusters have the setting under its new name.
UPDATE cluster SET
  settings = CASE WHEN settings -> 'nodeMarks' IS NOT NULL
    THEN settings - 'nodeMarks' || jsonb_build_object('nodeLabelsAndTaints', settings -> 'nodeMarks') ELSE settings END,
  capabilities = CASE WHEN capabilities -> 'nodeMarks' IS NOT NULL
    THEN capabilities - 'nodeMarks' || jsonb_build_object('nodeLabelsAndTaints', capabilities -> 'nodeMarks') ELSE capabilities END;

-- Archived attempts are copies of their rows and are read by the names of the columns. The owner changes them only without the policies.
ALTER TABLE job_archive NO FORCE ROW LEVEL SECURITY;
UPDATE job_archive SET attempt_rows = (
  SELECT jsonb_agg(a.copy - 'term' || jsonb_build_object('epoch', a.copy -> 'term') ORDER BY a.place)
  FROM jsonb_array_elements(attempt_rows) WITH ORDINALITY AS a (copy, place))
WHERE attempt_rows <> '[]';
ALTER TABLE job_archive FORCE ROW LEVEL SECURITY;
ALTER TABLE job_archive_part NO FORCE ROW LEVEL SECURITY;
UPDATE job_archive_part SET attempt_rows = (
  SELECT jsonb_agg(a.copy - 'term' || jsonb_build_object('epoch', a.copy -> 'term') ORDER BY a.place)
  FROM jsonb_array_elements(attempt_rows) WITH ORDINALITY AS a (copy, place))
WHERE attempt_rows <> '[]';
ALTER TABLE job_archive_part FORCE ROW LEVEL SECURITY;
