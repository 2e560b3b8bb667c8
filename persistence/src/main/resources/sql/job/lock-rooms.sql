SELECT id, state, pool, pool_tenant, pool_windows IS NOT NULL AS windowed,
       allocatable_cpu, allocatable_memory_mib, allocatable_gpu, allocatable_pods, allocatable_extended,
       allocated_cpu, allocated_memory_mib, allocated_gpu, allocated_pods, allocated_extended,
       foreign_cpu, foreign_memory_mib, foreign_gpu, foreign_pods, foreign_extended
FROM node
WHERE id IN (SELECT unnest(CAST(:ids AS uuid[])))
ORDER BY id
FOR NO KEY UPDATE
