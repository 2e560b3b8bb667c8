SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- The latest time that a clock of the database is believed to show. Two clocks that do not depend on it bear witness: the mark
-- of the last look at the usage, which is raised once a minute while the clock is believed, and the clock of the machine of the
-- process that asks, in milliseconds since 1970. The later one counts, so that a single wrong machine costs nothing. Two minutes
-- more are allowed: the time between two looks and a change of their holder. SteadyClock has the same tolerance.
CREATE FUNCTION fairlead_latest(host bigint) RETURNS timestamptz
  LANGUAGE sql STABLE
  RETURN (SELECT to_timestamp((greatest(m.look_ms, host) + 120000) / 1000.0) FROM usage_mark m);
