SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Rows that a transaction changed. Triggers write the notes in the changing transaction, so no writer can omit one, and a
-- note is visible exactly when its change is.
CREATE TABLE change_note (
  seq  bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  xid  xid8        NOT NULL DEFAULT pg_current_xact_id(),
  kind text        NOT NULL CHECK (kind IN ('NODE', 'JOB', 'PLACE')),
  ids  uuid[]      NOT NULL,
  at   timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
CREATE INDEX change_note_xid ON change_note (xid);
-- A supervisor reads the notes of closed places since the oldest open transaction. During a long transaction these are few
-- among many notes of nodes and jobs.
CREATE INDEX change_note_place ON change_note (xid) WHERE kind = 'PLACE';
GRANT SELECT ON change_note TO fairlead_app;
GRANT SELECT, DELETE ON change_note TO fairlead_loops;

-- One row: the newest transaction of a deleted note. A copy that is older is read in full.
CREATE TABLE change_floor (
  xid xid8 NOT NULL
);
GRANT SELECT ON change_floor TO fairlead_app;
GRANT SELECT, UPDATE ON change_floor TO fairlead_loops;

INSERT INTO change_floor VALUES ('0');

-- SECURITY DEFINER: each role that may change a row writes its note, and no role can insert another note.
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

-- A note of a closed place names no row: its reader reads all closed places again.
CREATE FUNCTION fairlead_note_places() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO change_note (kind, ids) VALUES ('PLACE', ARRAY['00000000-0000-0000-0000-000000000000'::uuid]);
  RETURN NULL;
END
$$;

-- The version of a job also guards its elements and attempts, so its row stands for all of them.
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

CREATE TRIGGER note_places AFTER INSERT OR UPDATE OR DELETE ON quarantine
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_note_places();
CREATE TRIGGER note_places AFTER INSERT OR UPDATE OR DELETE ON domain_quarantine
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_note_places();
CREATE TRIGGER note_places AFTER INSERT OR UPDATE OR DELETE ON incident
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_note_places();
CREATE TRIGGER note_places AFTER INSERT OR UPDATE OR DELETE ON repair
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_note_places();
CREATE TRIGGER note_places AFTER INSERT OR UPDATE OR DELETE ON repair_task
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_note_places();
CREATE TRIGGER note_places AFTER INSERT OR UPDATE OR DELETE ON operation
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_note_places();
CREATE TRIGGER note_places AFTER INSERT OR UPDATE OR DELETE ON node_retired
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_note_places();
CREATE TRIGGER note_places AFTER INSERT OR UPDATE OR DELETE ON announced_notice
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_note_places();

-- Each placement updates nodes, but never their cordon.
CREATE TRIGGER note_cordon AFTER UPDATE OF cordon ON node
  FOR EACH ROW WHEN (OLD.cordon IS DISTINCT FROM NEW.cordon) EXECUTE FUNCTION fairlead_note_places();
CREATE TRIGGER note_cordoned AFTER INSERT ON node
  FOR EACH ROW WHEN (NEW.cordon <> 'NONE') EXECUTE FUNCTION fairlead_note_places();
CREATE TRIGGER note_uncordoned AFTER DELETE ON node
  FOR EACH ROW WHEN (OLD.cordon <> 'NONE') EXECUTE FUNCTION fairlead_note_places();
