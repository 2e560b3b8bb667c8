SELECT g.node AS id, 'gpu ' || g.idx AS counter, g.allocated_milli::bigint AS counted,
       coalesce(sum(x.milli), 0)::bigint AS held
FROM gpu_slot g LEFT JOIN allocation x ON x.node = g.node AND x.gpu = g.idx
GROUP BY g.node, g.idx, g.allocated_milli
HAVING g.allocated_milli <> coalesce(sum(x.milli), 0)
ORDER BY g.node, g.idx
