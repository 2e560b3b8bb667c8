SELECT a.job, m.attempt, m.role, m.idx, m.ordinal, m.incarnation, m.state, m.node, m.node_name, m.model, m.capacity, m.cpu, m.memory_mib,
       m.gpu, m.pods, m.extended, m.gpus, m.uid, m.boot_id, m.exit_code, m.reason, m.started_at, m.ended_at, m.evidence, m.standing,
       m.standing_since, m.devices
FROM member m
JOIN attempt a ON a.id = m.attempt
WHERE (m.attempt, m.role, m.idx) IN (SELECT attempt, role, idx FROM allocation WHERE node = :node)
ORDER BY m.attempt, m.role, m.idx
