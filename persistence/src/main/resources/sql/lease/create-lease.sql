WITH made AS (
  INSERT INTO lease (name, holder, term, mark, session, session_server)
  SELECT :name, :holder, (incarnation::bigint << 32) + 1, incarnation::bigint << 32, :session, pg_postmaster_start_time()
  FROM installation
  ON CONFLICT (name) DO NOTHING
  RETURNING name, term, mark
), fenced AS (
  INSERT INTO fence (name, term) SELECT name, term FROM made
  ON CONFLICT (name) DO UPDATE SET term = excluded.term
)
SELECT term, mark FROM made
