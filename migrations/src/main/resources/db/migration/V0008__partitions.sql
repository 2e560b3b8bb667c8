SET LOCAL ROLE fairlead_owner;

-- The smallest UUIDv7 of a time: 48 bits of milliseconds, the rest zero.
CREATE FUNCTION fairlead_first_id(moment timestamptz) RETURNS uuid
  LANGUAGE sql IMMUTABLE STRICT
  RETURN (lpad(to_hex((extract(epoch FROM moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;

-- Adds one partition unless it is there. Where the default partition holds rows of its range already, those stay there
-- and the partition is left out: late maintenance costs speed, never rows.
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

-- Days for a week ahead, months of finished jobs from the last one to the next. Run at start and daily.
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

-- Drops the days of events that ended before the given time; returns how many.
CREATE FUNCTION fairlead_drop_events(before timestamptz) RETURNS int
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
DECLARE
  part record;
  dropped int := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('fairlead_partitions'));
  FOR part IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'event'::regclass AND c.relname ~ '^event_d[0-9]{8}$'
    ORDER BY c.relname
  LOOP
    IF to_date(substr(part.relname, 8), 'YYYYMMDD') + 1 <= before THEN
      EXECUTE format('DROP TABLE %I', part.relname);
      dropped := dropped + 1;
    END IF;
  END LOOP;
  RETURN dropped;
END
$$;

REVOKE EXECUTE ON FUNCTION fairlead_add_partition(text, text, text, text), fairlead_make_partitions(),
  fairlead_drop_events(timestamptz) FROM PUBLIC;

SELECT fairlead_make_partitions();
