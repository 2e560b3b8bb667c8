INSERT INTO node (id, cluster, name, state, gpu_model, gpu_memory_mib,
                  allocatable_cpu, allocatable_memory_mib, allocatable_gpu, allocatable_pods, allocatable_extended,
                  foreign_cpu, foreign_memory_mib, foreign_gpu, foreign_pods, foreign_extended,
                  labels, taints, topology, boot_id, version, pool, pool_tenant, pool_spares, pool_windows)
SELECT r.id, r.cluster, r.name, r.state, r.gpu_model, r.gpu_memory_mib,
       r.allocatable_cpu, r.allocatable_memory_mib, r.allocatable_gpu, r.allocatable_pods, r.allocatable_extended,
       r.foreign_cpu, r.foreign_memory_mib, r.foreign_gpu, r.foreign_pods, r.foreign_extended,
       r.labels, r.taints, r.topology, r.boot_id, 1, r.pool, r.pool_tenant, r.pool_spares, r.pool_windows
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  id uuid, cluster uuid, name text, state text, gpu_model text, gpu_memory_mib bigint,
  allocatable_cpu bigint, allocatable_memory_mib bigint, allocatable_gpu bigint, allocatable_pods bigint,
  allocatable_extended jsonb,
  foreign_cpu bigint, foreign_memory_mib bigint, foreign_gpu bigint, foreign_pods bigint, foreign_extended jsonb,
  labels jsonb, taints jsonb, topology jsonb, boot_id text,
  pool text, pool_tenant uuid, pool_spares text, pool_windows text)
ORDER BY r.id
ON CONFLICT (id) DO UPDATE
SET state = excluded.state, gpu_model = excluded.gpu_model, gpu_memory_mib = excluded.gpu_memory_mib,
    allocatable_cpu = excluded.allocatable_cpu, allocatable_memory_mib = excluded.allocatable_memory_mib,
    allocatable_gpu = excluded.allocatable_gpu, allocatable_pods = excluded.allocatable_pods,
    allocatable_extended = excluded.allocatable_extended,
    foreign_cpu = excluded.foreign_cpu, foreign_memory_mib = excluded.foreign_memory_mib,
    foreign_gpu = excluded.foreign_gpu, foreign_pods = excluded.foreign_pods,
    foreign_extended = excluded.foreign_extended,
    labels = excluded.labels, taints = excluded.taints, topology = excluded.topology, boot_id = excluded.boot_id,
    pool = excluded.pool, pool_tenant = excluded.pool_tenant, pool_spares = excluded.pool_spares,
    pool_windows = excluded.pool_windows,
    shown_since = CASE WHEN node.state = 'RETIRED' AND excluded.state <> 'RETIRED' THEN now() ELSE node.shown_since END,
    version = node.version + 1
