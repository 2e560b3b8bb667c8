-- The update of the fence waits for transactions of the old holder with a share lock on it.
WITH taken AS (
  UPDATE lease
  SET holder = :holder,
      term = greatest(lease.term + 1, (i.incarnation::bigint << 32) + 1),
      renewals = 0,
      mark = greatest(lease.mark, i.incarnation::bigint << 32),
      released = false,
      session = :session,
      session_server = pg_postmaster_start_time(),
      renewed_at = clock_timestamp()
  FROM installation i
  WHERE name = :name AND lease.term = :term AND renewals = :renewals
  RETURNING lease.name, lease.term, lease.mark
), raised AS (
  UPDATE fence SET term = taken.term FROM taken WHERE fence.name = taken.name
)
SELECT term, mark FROM taken
