SET LOCAL ROLE fairlead_owner;

-- Whatever writes hours holds this row, for as long as it reckons: at 100,000 GPUs longer than other migrations wait for a
-- lock. This transaction has nothing yet that others could wait for.
SET LOCAL lock_timeout = '60s';
SELECT one FROM usage_mark FOR NO KEY UPDATE;
SET LOCAL lock_timeout = '5s';

-- Who adds up a day holds the row, too. So a change of hours by hand waits for a sum that has not read it, and takes that
-- sum out; and a sum waits for a change that it has not seen.
CREATE OR REPLACE FUNCTION fairlead_unsum_days() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM usage_mark FOR NO KEY UPDATE;
  IF TG_OP = 'TRUNCATE' THEN
    DELETE FROM usage_day_summed;
  ELSE
    DELETE FROM usage_day_summed WHERE day_ms IN (SELECT DISTINCT hour_ms - hour_ms % 86400000 FROM changed);
  END IF;
  RETURN NULL;
END
$$;

-- The day that an hour left, and hours that no row names.
CREATE TRIGGER unsum_moved AFTER UPDATE ON usage_hour REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
CREATE TRIGGER unsum_truncated AFTER TRUNCATE ON usage_hour
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
