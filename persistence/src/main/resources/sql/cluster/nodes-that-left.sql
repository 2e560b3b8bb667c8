-- Nodes with these names that were removed from the table of nodes.
SELECT x.id, x.cluster, x.name, x.state, x.gpu_model, x.gpu_memory_mib,
       x.allocatable_cpu, x.allocatable_memory_mib, x.allocatable_gpu, x.allocatable_pods, x.allocatable_extended,
       x.allocated_cpu, x.allocated_memory_mib, x.allocated_gpu, x.allocated_pods, x.allocated_extended,
       x.foreign_cpu, x.foreign_memory_mib, x.foreign_gpu, x.foreign_pods, x.foreign_extended,
       x.labels, x.taints, x.topology, x.boot_id, x.version, x.pool, x.pool_tenant, x.pool_spares, x.pool_windows
FROM node_retired r, jsonb_populate_record(NULL::node, r.node_row) x
WHERE r.cluster = :cluster AND r.name IN (SELECT unnest(CAST(:names AS text[])))
ORDER BY r.id
FOR UPDATE OF r
