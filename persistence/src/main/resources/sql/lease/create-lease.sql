WITH made AS (
  INSERT INTO lease (name, holder, epoch, watermark, session, session_server)
  SELECT :name, :holder, greatest(incarnation::bigint << 32, epoch_floor) + 1,
         greatest(incarnation::bigint << 32, watermark_floor), :session, pg_postmaster_start_time()
  FROM installation
  ON CONFLICT (name) DO NOTHING
  RETURNING name, epoch, watermark
), fenced AS (
  INSERT INTO fence (name, epoch) SELECT name, epoch FROM made
  ON CONFLICT (name) DO UPDATE SET epoch = excluded.epoch
)
SELECT epoch, watermark FROM made
