SELECT incarnation, CAST(CAST(xid AS text) AS bigint) AS xid, seq FROM event_floor
