SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- The smallest UUIDv7 of a time: 48 bits of milliseconds, all other bits zero.
CREATE FUNCTION fairlead_first_id(moment timestamptz) RETURNS uuid
  LANGUAGE sql IMMUTABLE STRICT
  RETURN (lpad(to_hex((extract(epoch FROM moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;

-- Adds a partition unless it exists. If the default partition already has rows of its range, the partition is left out: late
-- maintenance costs speed, but no rows.
CREATE FUNCTION fairlead_add_partition(parent text, suffix text, low text, high text) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF to_regclass(parent || '_' || suffix) IS NULL THEN
    EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', parent || '_' || suffix, parent, low, high);
  END IF;
EXCEPTION WHEN check_violation OR duplicate_table THEN
  NULL;
END
$$;

-- Days for a week ahead, and months of ended jobs from the last one to the next. Runs at each start and daily.
CREATE FUNCTION fairlead_make_partitions() RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
DECLARE
  day date;
  month date;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('fairlead_partitions'));
  FOR i IN 0..7 LOOP
    day := current_date + i;
    PERFORM fairlead_add_partition('event', 'd' || to_char(day, 'YYYYMMDD'), day::text, (day + 1)::text);
    PERFORM fairlead_add_partition('audit_record', 'd' || to_char(day, 'YYYYMMDD'), day::text, (day + 1)::text);
  END LOOP;
  FOR i IN -1..1 LOOP
    month := (date_trunc('month', current_date) + make_interval(months => i))::date;
    PERFORM fairlead_add_partition('job_archive', 'm' || to_char(month, 'YYYYMM'),
      fairlead_first_id(month::timestamptz)::text,
      fairlead_first_id((month + interval '1 month')::timestamptz)::text);
  END LOOP;
END
$$;

-- Drops the days of events that ended before the given time, and deletes rows of such days that had no partition, 10,000 at a
-- time. Returns the number of both. event_floor gets the position of the last fact of the last dropped row: a reader that
-- stopped inside this row has missed events.
CREATE FUNCTION fairlead_drop_events(before timestamptz) RETURNS int
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

REVOKE EXECUTE ON FUNCTION fairlead_add_partition(text, text, text, text), fairlead_make_partitions(),
  fairlead_drop_events(timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION fairlead_make_partitions(), fairlead_drop_events(timestamptz) TO fairlead_loops;

SELECT fairlead_make_partitions();
