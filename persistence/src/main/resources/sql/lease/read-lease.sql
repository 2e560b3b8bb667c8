-- The shared lock is granted only if the session of the holder has ended, and is released with this statement. After a restart of the
-- server no session of any holder exists, which proves nothing.
SELECT holder, epoch, renewals, watermark, released,
  coalesce(session_server = pg_postmaster_start_time() AND pg_try_advisory_xact_lock_shared(session), false) AS orphaned
FROM lease WHERE name = :name
