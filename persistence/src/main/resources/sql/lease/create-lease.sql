WITH made AS (
  INSERT INTO lease (name, holder, term, mark, session, session_server)
  SELECT :name, :holder, greatest(incarnation::bigint << 32, term_floor) + 1,
         greatest(incarnation::bigint << 32, mark_floor), :session, pg_postmaster_start_time()
  FROM installation
  ON CONFLICT (name) DO NOTHING
  RETURNING name, term, mark
), fenced AS (
  INSERT INTO fence (name, term) SELECT name, term FROM made
  ON CONFLICT (name) DO UPDATE SET term = excluded.term
)
SELECT term, mark FROM made
