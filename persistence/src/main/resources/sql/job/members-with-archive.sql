SELECT attempt, role, idx, ordinal, incarnation, state, node, node_name, model, capacity, cpu, memory_mib, gpu, pods, extended, gpus,
       uid, boot_id, exit_code, reason, started_at, ended_at, evidence, standing, standing_since, devices
FROM member
WHERE attempt IN (SELECT unnest(CAST(:attempts AS uuid[])))
UNION ALL
SELECT x.attempt, x.role, x.idx, x.ordinal, x.incarnation, x.state, x.node, x.node_name, x.model, x.capacity, x.cpu, x.memory_mib, x.gpu, x.pods, x.extended, x.gpus, x.uid, x.boot_id, x.exit_code, x.reason, x.started_at, x.ended_at, x.evidence, x.standing, x.standing_since, x.devices
FROM job_archive_rows a, jsonb_populate_recordset(NULL::member, a.member_rows) x
WHERE a.id IN (SELECT unnest(CAST(:jobs AS uuid[]))) AND x.attempt IN (SELECT unnest(CAST(:attempts AS uuid[])))
ORDER BY attempt, ordinal
