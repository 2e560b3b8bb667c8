-- With a condition on the state that the planner cannot estimate, it would read the whole range and sort it. Both bounds are always
-- given, so that each page is a range of the unique index on cluster and name.
SELECT id, cluster, name, state, gpu_model, gpu_memory_mib,
       allocatable_cpu, allocatable_memory_mib, allocatable_gpu, allocatable_pods, allocatable_extended,
       allocated_cpu, allocated_memory_mib, allocated_gpu, allocated_pods, allocated_extended,
       foreign_cpu, foreign_memory_mib, foreign_gpu, foreign_pods, foreign_extended,
       labels, taints, topology, boot_id, version, pool, pool_tenant, pool_spares, pool_windows
FROM node
WHERE (cluster, name) > (:from, CAST(:after AS text)) AND cluster <= :to
  AND state <> 'RETIRED' AND (:anyState OR state = ANY (CAST(:states AS text[])))
  AND (CAST(:models AS text[]) IS NULL OR gpu_model = ANY (CAST(:models AS text[])))
ORDER BY cluster, name
LIMIT :most
