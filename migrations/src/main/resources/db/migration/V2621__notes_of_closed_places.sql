SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Each turn of a supervisor read the closed places of its cluster with seven statements. These tables now write notes, as
-- nodes and jobs do. A note names no row: its reader reads all closed places again.
-- squawk-ignore ban-drop-constraint
ALTER TABLE change_note DROP CONSTRAINT change_note_kind_check;
ALTER TABLE change_note ADD CONSTRAINT change_note_kind_check CHECK (kind IN ('NODE', 'JOB', 'PLACE')) NOT VALID;

CREATE FUNCTION fairlead_note_places() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO change_note (kind, ids) VALUES ('PLACE', ARRAY['00000000-0000-0000-0000-000000000000'::uuid]);
  RETURN NULL;
END
$$;

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
-- Each placement updates nodes, but never their cordon.
CREATE TRIGGER note_cordon AFTER UPDATE OF cordon ON node
  FOR EACH ROW WHEN (OLD.cordon IS DISTINCT FROM NEW.cordon) EXECUTE FUNCTION fairlead_note_places();
CREATE TRIGGER note_cordoned AFTER INSERT ON node
  FOR EACH ROW WHEN (NEW.cordon <> 'NONE') EXECUTE FUNCTION fairlead_note_places();
CREATE TRIGGER note_uncordoned AFTER DELETE ON node
  FOR EACH ROW WHEN (OLD.cordon <> 'NONE') EXECUTE FUNCTION fairlead_note_places();
