-- An optimisation fence, as in job/jobs-without-spec.
SELECT * FROM (
SELECT id, cluster, name, state, gpu_model, gpu_memory_mib,
       allocatable_cpu, allocatable_memory_mib, allocatable_gpu, allocatable_pods, allocatable_extended,
       allocated_cpu, allocated_memory_mib, allocated_gpu, allocated_pods, allocated_extended,
       foreign_cpu, foreign_memory_mib, foreign_gpu, foreign_pods, foreign_extended,
       labels, taints, topology, boot_id, version, pool, pool_tenant, pool_spares, pool_windows
FROM node
WHERE id IN (SELECT unnest(CAST(:ids AS uuid[])))
OFFSET 0
) AS named
WHERE state <> 'RETIRED'
