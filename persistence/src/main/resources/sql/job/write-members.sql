-- The holdings of a member change only with its node. Other columns are written only if they differ. ON CONFLICT alone
-- would lock each unchanged row and log that. The lock of the job excludes other writers.
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
WHERE coalesce((
  SELECT (s.ordinal, s.incarnation, s.state, s.node, s.node_name, s.uid, s.boot_id, s.exit_code, s.reason, s.started_at, s.ended_at, s.evidence,
          s.standing, s.devices)
    IS DISTINCT FROM (r.ordinal, r.incarnation, r.state, r.node, r.node_name, r.uid, r.boot_id, r.exit_code, r.reason, r.started_at, r.ended_at,
                      r.evidence, r.standing, r.devices)
  FROM member s
  WHERE s.attempt = r.attempt AND s.role = r.role AND s.idx = r.idx), true)
ORDER BY r.attempt, r.role, r.idx
ON CONFLICT (attempt, role, idx) DO UPDATE
SET ordinal = excluded.ordinal, incarnation = excluded.incarnation, state = excluded.state, node = excluded.node,
    node_name = excluded.node_name, gpus = excluded.gpus, uid = excluded.uid, boot_id = excluded.boot_id,
    exit_code = excluded.exit_code, reason = excluded.reason, started_at = excluded.started_at,
    ended_at = excluded.ended_at, evidence = excluded.evidence, standing = excluded.standing,
    standing_since = excluded.standing_since, devices = excluded.devices
