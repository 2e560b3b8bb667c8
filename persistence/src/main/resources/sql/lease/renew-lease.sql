UPDATE lease SET renewals = renewals + 1, watermark = watermark + :step, renewed_at = clock_timestamp(),
  session = :session, session_server = pg_postmaster_start_time()
WHERE name = :name AND epoch = :epoch AND NOT released
RETURNING renewals, watermark
