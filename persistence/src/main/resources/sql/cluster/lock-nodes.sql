-- Changed nodes, and retired nodes whose names are reported again.
SELECT id, cluster, name, state, gpu_model, gpu_memory_mib,
       allocatable_cpu, allocatable_memory_mib, allocatable_gpu, allocatable_pods, allocatable_extended,
       allocated_cpu, allocated_memory_mib, allocated_gpu, allocated_pods, allocated_extended,
       foreign_cpu, foreign_memory_mib, foreign_gpu, foreign_pods, foreign_extended,
       labels, taints, topology, boot_id, version, pool, pool_tenant, pool_spares, pool_windows
FROM node
WHERE id IN (SELECT unnest(CAST(:ids AS uuid[]))
             UNION ALL
             SELECT n.id FROM node n JOIN unnest(CAST(:names AS text[])) AS reported (name) ON n.name = reported.name
             WHERE n.cluster = :cluster)
ORDER BY id
FOR NO KEY UPDATE
