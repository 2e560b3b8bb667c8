-- The update of the fence waits for transactions of the old holder with a share lock on it.
WITH taken AS (
  UPDATE lease
  SET holder = :holder,
      epoch = greatest(lease.epoch + 1, (i.incarnation::bigint << 32) + 1),
      renewals = 0,
      watermark = greatest(lease.watermark, i.incarnation::bigint << 32),
      released = false,
      session = :session,
      session_server = pg_postmaster_start_time(),
      renewed_at = clock_timestamp()
  FROM installation i
  WHERE name = :name AND lease.epoch = :epoch AND renewals = :renewals
  RETURNING lease.name, lease.epoch, lease.watermark
), raised AS (
  UPDATE fence SET epoch = taken.epoch FROM taken WHERE fence.name = taken.name
)
SELECT epoch, watermark FROM taken
