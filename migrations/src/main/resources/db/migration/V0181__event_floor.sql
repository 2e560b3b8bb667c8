SET LOCAL ROLE fairlead_owner;

-- The greatest position that was dropped: a reader that stopped before it has missed events, whatever older rows are left.
CREATE TABLE event_floor (
  only_row    boolean  PRIMARY KEY DEFAULT true CHECK (only_row),
  incarnation smallint NOT NULL,
  xid         xid8     NOT NULL,
  seq         bigint   NOT NULL
);
INSERT INTO event_floor (incarnation, xid, seq) VALUES (0, '0', 0);
GRANT SELECT ON event_floor TO fairlead_app, fairlead_loops;

-- Drops the days of events that ended before the given time, and removes rows of such days that had no partition, 10,000 at
-- a time; returns how many of both.
CREATE OR REPLACE FUNCTION fairlead_drop_events(before timestamptz) RETURNS int
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
DECLARE
  part record;
  last_of text := 'UPDATE event_floor f SET incarnation = e.incarnation, xid = e.xid, seq = e.seq
    FROM (SELECT incarnation, xid, seq FROM %I ORDER BY incarnation DESC, xid DESC, seq DESC LIMIT 1) e
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
    RETURNING incarnation, xid, seq
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

-- Waits for every transaction that writes events and keeps new ones waiting until the caller's transaction ends.
CREATE FUNCTION fairlead_hold_events() RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  LOCK TABLE event IN SHARE ROW EXCLUSIVE MODE;
  RETURN true;
END
$$;
REVOKE EXECUTE ON FUNCTION fairlead_hold_events() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION fairlead_hold_events() TO fairlead_loops;
