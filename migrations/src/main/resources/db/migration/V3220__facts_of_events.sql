SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Facts of the same change after the first, as pairs of type and data. Each fact has a position: that of its row for the first, and the
-- next numbers for the others. The numbers of rows are therefore 32 apart, and a row has at most 32 facts.
ALTER TABLE event ADD COLUMN more jsonb;
ALTER SEQUENCE event_seq INCREMENT BY 32;

-- The facts of a row, with their places from 0.
CREATE FUNCTION fairlead_facts(first_type text, first_data jsonb, more jsonb)
  RETURNS TABLE (place bigint, type text, data jsonb)
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  BEGIN ATOMIC
    SELECT 0::bigint, first_type, first_data
    UNION ALL
    SELECT m.place, m.fact ->> 0, m.fact -> 1 FROM jsonb_array_elements(more) WITH ORDINALITY AS m (fact, place);
  END;
REVOKE EXECUTE ON FUNCTION fairlead_facts(text, jsonb, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION fairlead_facts(text, jsonb, jsonb) TO fairlead_app, fairlead_loops;

-- As before, with the position of the last fact of the last dropped row: a reader that stopped inside this row has missed events.
CREATE OR REPLACE FUNCTION fairlead_drop_events(before timestamptz) RETURNS int
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
DECLARE
  part record;
  last_of text := 'UPDATE event_floor f SET incarnation = e.incarnation, xid = e.xid, seq = e.seq
    FROM (SELECT d.incarnation, d.xid, d.seq + coalesce(jsonb_array_length(d.more), 0) AS seq FROM %I d
          ORDER BY d.incarnation DESC, d.xid DESC, d.seq DESC LIMIT 1) e
    WHERE (f.incarnation, f.xid, f.seq) < (e.incarnation, e.xid, e.seq)';
  removed int;
  dropped int := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('fairlead_partitions'));
  FOR part IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'event'::regclass AND c.relname ~ '^event_d[0-9]{8}$'
    ORDER BY c.relname
  LOOP
    IF to_date(substr(part.relname, 8), 'YYYYMMDD') + 1 <= before THEN
      EXECUTE format(last_of, part.relname);
      EXECUTE format('DROP TABLE %I', part.relname);
      dropped := dropped + 1;
    END IF;
  END LOOP;
  WITH gone AS (
    DELETE FROM event_rest
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM event_rest WHERE at < date_trunc('day', before) LIMIT 10000))
    RETURNING incarnation, xid, seq + coalesce(jsonb_array_length(more), 0) AS seq
  ), newest AS (
    SELECT incarnation, xid, seq FROM gone ORDER BY incarnation DESC, xid DESC, seq DESC LIMIT 1
  ), raised AS (
    UPDATE event_floor f SET incarnation = e.incarnation, xid = e.xid, seq = e.seq
    FROM newest e
    WHERE (f.incarnation, f.xid, f.seq) < (e.incarnation, e.xid, e.seq)
  )
  SELECT count(*) INTO removed FROM gone;
  RETURN dropped + removed;
END
$$;
