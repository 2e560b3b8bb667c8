SELECT id, cluster, name, state, gpu_model, gpu_memory_mib,
       allocatable_cpu, allocatable_memory_mib, allocatable_gpu, allocatable_pods, allocatable_extended,
       allocated_cpu, allocated_memory_mib, allocated_gpu, allocated_pods, allocated_extended,
       foreign_cpu, foreign_memory_mib, foreign_gpu, foreign_pods, foreign_extended,
       labels, taints, topology, boot_id, version, pool, pool_tenant, pool_spares, pool_windows
FROM node
WHERE id = :id
UNION ALL
SELECT x.id, x.cluster, x.name, x.state, x.gpu_model, x.gpu_memory_mib,
       x.allocatable_cpu, x.allocatable_memory_mib, x.allocatable_gpu, x.allocatable_pods, x.allocatable_extended,
       x.allocated_cpu, x.allocated_memory_mib, x.allocated_gpu, x.allocated_pods, x.allocated_extended,
       x.foreign_cpu, x.foreign_memory_mib, x.foreign_gpu, x.foreign_pods, x.foreign_extended,
       x.labels, x.taints, x.topology, x.boot_id, x.version, x.pool, x.pool_tenant, x.pool_spares, x.pool_windows
FROM node_retired r, jsonb_populate_record(NULL::node, r.node_row) x
WHERE r.id = :id
