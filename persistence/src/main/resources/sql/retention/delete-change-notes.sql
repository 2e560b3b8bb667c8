WITH old AS (
  DELETE FROM change_note
  WHERE seq IN (SELECT seq FROM change_note
                WHERE at < clock_timestamp() - make_interval(secs => :seconds) ORDER BY seq LIMIT :limit)
  RETURNING xid
)
UPDATE change_floor SET xid = greatest(xid, (SELECT max(xid) FROM old)) WHERE EXISTS (SELECT FROM old)
