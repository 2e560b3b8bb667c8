SELECT attempt, role, idx, ordinal, incarnation, state, node, node_name, model, capacity, cpu, memory_mib, gpu, pods, extended, gpus,
       uid, boot_id, exit_code, reason, started_at, ended_at, evidence, standing, standing_since, devices
FROM member
WHERE attempt IN (SELECT unnest(CAST(:attempts AS uuid[])))
ORDER BY attempt, ordinal
