SELECT count(*) AS rows, min(at) AS oldest
FROM (SELECT at FROM audit_record
      WHERE (incarnation, xid, seq) > (CAST(:incarnation AS smallint), CAST(CAST(:xid AS text) AS xid8), :seq)
      ORDER BY incarnation, xid, seq
      LIMIT :limit) AS behind
