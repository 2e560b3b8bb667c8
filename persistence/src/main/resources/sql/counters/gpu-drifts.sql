WITH held AS (
  SELECT g.node, g.idx, g.allocated_milli, g.slices, coalesce(sum(x.milli), 0) AS milli, coalesce(bit_or(x.slices), 0) AS cut
  FROM gpu_slot g LEFT JOIN allocation x ON x.node = g.node AND x.gpu = g.idx
  GROUP BY g.node, g.idx, g.allocated_milli, g.slices
)
SELECT h.node AS id, r.counter, r.counted::bigint, r.held::bigint
FROM held h
CROSS JOIN LATERAL (
  VALUES ('gpu ' || h.idx, h.allocated_milli, h.milli),
         ('slices of gpu ' || h.idx, h.slices, h.cut)
) AS r (counter, counted, held)
WHERE r.counted <> r.held
ORDER BY h.node, h.idx, r.counter
