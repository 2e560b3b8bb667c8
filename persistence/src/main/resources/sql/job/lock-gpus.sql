SELECT g.node, g.idx, CASE WHEN g.quarantined THEN 'QUARANTINED' ELSE g.state END AS state, g.allocated_milli, g.slices,
       greatest(g.booked_ms, (SELECT open_ms FROM usage_watermark),
                (SELECT (extract(epoch FROM least(clock_timestamp(), fairlead_latest(:host))) * 1000)::bigint)) AS now_ms
FROM gpu_slot g
WHERE (g.node, g.idx) IN (
  SELECT r.node, r.gpu FROM json_to_recordset(CAST(:rows AS json)) AS r (node uuid, gpu int))
ORDER BY g.node, g.idx
FOR NO KEY UPDATE OF g
