SELECT CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint) AS horizon,
       CAST(CAST(xid AS text) AS bigint) AS deleted_to
FROM change_floor
