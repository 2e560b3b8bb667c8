-- The shared lock is granted only when the session that the holder kept open has ended, and goes with this statement.
-- Since a restart of the server no session is left of any holder: that says nothing.
SELECT holder, term, renewals, mark, released,
  coalesce(session_server = pg_postmaster_start_time() AND pg_try_advisory_xact_lock_shared(session), false) AS orphaned
FROM lease WHERE name = :name
