WITH old AS (
  DELETE FROM change_note
  WHERE seq IN (SELECT seq FROM change_note
                WHERE at < clock_timestamp() - make_interval(secs => :seconds)
                -- notes of open or concurrent transactions are still needed, for at most an hour
                AND (xid < pg_snapshot_xmin(pg_current_snapshot()) OR at < clock_timestamp() - interval '1 hour')
                ORDER BY seq LIMIT :limit)
  RETURNING xid
)
UPDATE change_floor SET xid = greatest(xid, (SELECT max(xid) FROM old)) WHERE EXISTS (SELECT FROM old)
