-- The previous statement locked the rows, so this one sees everything to count.
UPDATE gpu_slot AS g
SET allocated_milli = (SELECT coalesce(sum(x.milli), 0) FROM allocation x WHERE x.node = g.node AND x.gpu = g.idx),
    slices = (SELECT coalesce(bit_or(x.slices), 0) FROM allocation x WHERE x.node = g.node AND x.gpu = g.idx)
WHERE g.node IN (SELECT unnest(CAST(:ids AS uuid[])))
