WITH made AS (
  INSERT INTO lease (name, holder, epoch, mark, session, session_server)
  SELECT :name, :holder, greatest(incarnation::bigint << 32, epoch_floor) + 1,
         greatest(incarnation::bigint << 32, mark_floor), :session, pg_postmaster_start_time()
  FROM installation
  ON CONFLICT (name) DO NOTHING
  RETURNING name, epoch, mark
), fenced AS (
  INSERT INTO fence (name, epoch) SELECT name, epoch FROM made
  ON CONFLICT (name) DO UPDATE SET epoch = excluded.epoch
)
SELECT epoch, mark FROM made
