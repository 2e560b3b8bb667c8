-- The holdings of a member never change while it holds them. Other columns are written only if they differ.
INSERT INTO member AS m (attempt, role, idx, tenant, ordinal, incarnation, state, node, node_name, model, capacity, cpu,
                         memory_mib, gpu, pods, extended, gpus, uid, boot_id, exit_code, reason, started_at, ended_at,
                         evidence, standing, standing_since, devices)
SELECT r.attempt, r.role, r.idx, r.tenant, r.ordinal, r.incarnation, r.state, r.node, r.node_name, r.model, r.capacity,
       r.cpu, r.memory_mib, r.gpu, r.pods, r.extended, r.gpus, r.uid, r.boot_id, r.exit_code, r.reason, r.started_at,
       r.ended_at, r.evidence, r.standing, r.standing_since, r.devices
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  attempt uuid, role text, idx int, tenant uuid, ordinal int, incarnation int, state text, node uuid, node_name text,
  model text, capacity text, cpu bigint, memory_mib bigint, gpu bigint, pods bigint, extended jsonb, gpus jsonb,
  uid text, boot_id text, exit_code int, reason text, started_at timestamptz, ended_at timestamptz, evidence text,
  standing text, standing_since timestamptz, devices jsonb)
ORDER BY r.attempt, r.role, r.idx
ON CONFLICT (attempt, role, idx) DO UPDATE
SET ordinal = excluded.ordinal, incarnation = excluded.incarnation, state = excluded.state, uid = excluded.uid, boot_id = excluded.boot_id,
    exit_code = excluded.exit_code, reason = excluded.reason, started_at = excluded.started_at,
    ended_at = excluded.ended_at, evidence = excluded.evidence, standing = excluded.standing,
    standing_since = excluded.standing_since, devices = excluded.devices
WHERE (m.ordinal, m.incarnation, m.state, m.uid, m.boot_id, m.exit_code, m.reason, m.started_at, m.ended_at, m.evidence, m.standing, m.devices)
  IS DISTINCT FROM (excluded.ordinal, excluded.incarnation, excluded.state, excluded.uid, excluded.boot_id, excluded.exit_code,
                    excluded.reason, excluded.started_at, excluded.ended_at, excluded.evidence,
                    excluded.standing, excluded.devices)
