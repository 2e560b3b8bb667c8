-- The rows are locked by the statement before, so what this one sees is all there is to count.
UPDATE gpu_slot AS g
SET allocated_milli = (SELECT coalesce(sum(x.milli), 0) FROM allocation x WHERE x.node = g.node AND x.gpu = g.idx),
    slices = (SELECT coalesce(bit_or(x.slices), 0) FROM allocation x WHERE x.node = g.node AND x.gpu = g.idx)
WHERE g.node IN (SELECT unnest(CAST(:ids AS uuid[])))
