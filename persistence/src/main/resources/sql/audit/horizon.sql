-- Below the oldest transaction that is open.
SELECT incarnation, CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint) AS xid, 0 AS seq FROM installation
