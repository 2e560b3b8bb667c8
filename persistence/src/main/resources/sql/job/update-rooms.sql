-- Guard: the taken capacity fits into the node's present offer. A release is never refused.
UPDATE node AS n
SET allocated_cpu = n.allocated_cpu + r.cpu,
    allocated_memory_mib = n.allocated_memory_mib + r.memory_mib,
    allocated_gpu = n.allocated_gpu + r.gpu,
    allocated_pods = n.allocated_pods + r.pods,
    allocated_extended = r.extended,
    version = n.version + 1
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  id uuid, takes boolean, cpu bigint, memory_mib bigint, gpu bigint, pods bigint, extended jsonb)
WHERE n.id = r.id
  AND (NOT r.takes
       OR n.state = 'ACTIVE'
          AND n.allocated_cpu + r.cpu + n.foreign_cpu <= n.allocatable_cpu
          AND n.allocated_memory_mib + r.memory_mib + n.foreign_memory_mib <= n.allocatable_memory_mib
          AND n.allocated_gpu + r.gpu + n.foreign_gpu <= n.allocatable_gpu
          AND n.allocated_pods + r.pods + n.foreign_pods <= n.allocatable_pods)
