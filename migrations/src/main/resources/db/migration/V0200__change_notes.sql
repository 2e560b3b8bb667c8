SET LOCAL ROLE fairlead_owner;

-- Which rows a transaction changed, for the copies that processes keep in memory. The notes are written by triggers in the
-- changing transaction itself, so no writer can forget one, and a note is visible exactly when its change is.
CREATE TABLE change_note (
  seq  bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  xid  xid8        NOT NULL DEFAULT pg_current_xact_id(),
  kind text        NOT NULL CHECK (kind IN ('NODE', 'JOB')),
  ids  uuid[]      NOT NULL,
  at   timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
CREATE INDEX change_note_xid ON change_note (xid);

-- The newest transaction of which a note was deleted: a copy that has not come that far is read in full.
CREATE TABLE change_floor (xid xid8 NOT NULL);
INSERT INTO change_floor VALUES ('0');

-- SECURITY DEFINER: whoever may change the row has it noted, and nobody else writes notes.
CREATE FUNCTION fairlead_note_nodes() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO change_note (kind, ids) SELECT 'NODE', array_agg(id) FROM changed HAVING count(*) > 0;
  RETURN NULL;
END
$$;

CREATE FUNCTION fairlead_note_gpus() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO change_note (kind, ids) SELECT 'NODE', array_agg(DISTINCT node) FROM changed HAVING count(*) > 0;
  RETURN NULL;
END
$$;

CREATE FUNCTION fairlead_note_jobs() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO change_note (kind, ids) SELECT 'JOB', array_agg(id) FROM changed HAVING count(*) > 0;
  RETURN NULL;
END
$$;

-- One row version guards a job with its elements and attempts, so its row stands for all of them.
CREATE TRIGGER note_inserted AFTER INSERT ON node REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_note_nodes();
CREATE TRIGGER note_updated AFTER UPDATE ON node REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_note_nodes();
CREATE TRIGGER note_deleted AFTER DELETE ON node REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_note_nodes();
CREATE TRIGGER note_inserted AFTER INSERT ON gpu_slot REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_note_gpus();
CREATE TRIGGER note_updated AFTER UPDATE ON gpu_slot REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_note_gpus();
CREATE TRIGGER note_deleted AFTER DELETE ON gpu_slot REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_note_gpus();
CREATE TRIGGER note_inserted AFTER INSERT ON job REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_note_jobs();
CREATE TRIGGER note_updated AFTER UPDATE ON job REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_note_jobs();
CREATE TRIGGER note_deleted AFTER DELETE ON job REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_note_jobs();

GRANT SELECT ON change_note, change_floor TO fairlead_app, fairlead_loops;
GRANT DELETE ON change_note TO fairlead_loops;
GRANT UPDATE ON change_floor TO fairlead_loops;
