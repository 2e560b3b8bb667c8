-- Below the oldest open transaction.
SELECT incarnation, CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint) AS xid, 0 AS seq FROM installation
