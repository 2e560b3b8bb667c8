-- The holdings of a member change only with its node. Other columns are written only if they differ. The lock of the job excludes
-- other writers, so no row appears between the look and the insert. ON CONFLICT would lock each row and confirm each insert in the log.
WITH incoming AS MATERIALIZED (
  SELECT r.*, coalesce((
           SELECT false FROM member s WHERE s.attempt = r.attempt AND s.role = r.role AND s.idx = r.idx), true) AS joins
  FROM json_to_recordset(CAST(:rows AS json)) AS r (
    attempt uuid, role text, idx int, tenant uuid, ordinal int, incarnation int, state text, node uuid, node_name text,
    model text, capacity text, cpu bigint, memory_mib bigint, gpu bigint, pods bigint, extended jsonb, gpus jsonb,
    uid text, boot_id text, exit_code int, reason text, started_at timestamptz, ended_at timestamptz, evidence text,
    standing text, standing_since timestamptz, devices jsonb)
), changed AS (
  UPDATE member AS m
  SET ordinal = r.ordinal, incarnation = r.incarnation, state = r.state, node = r.node, node_name = r.node_name, gpus = r.gpus,
      uid = r.uid, boot_id = r.boot_id, exit_code = r.exit_code, reason = r.reason, started_at = r.started_at,
      ended_at = r.ended_at, evidence = r.evidence, standing = r.standing, standing_since = r.standing_since,
      devices = r.devices
  FROM incoming r
  WHERE NOT r.joins AND m.attempt = r.attempt AND m.role = r.role AND m.idx = r.idx
    AND (m.ordinal, m.incarnation, m.state, m.node, m.node_name, m.uid, m.boot_id, m.exit_code, m.reason, m.started_at, m.ended_at,
         m.evidence, m.standing, m.devices)
      IS DISTINCT FROM (r.ordinal, r.incarnation, r.state, r.node, r.node_name, r.uid, r.boot_id, r.exit_code, r.reason, r.started_at,
                        r.ended_at, r.evidence, r.standing, r.devices)
)
INSERT INTO member (attempt, role, idx, tenant, ordinal, incarnation, state, node, node_name, model, capacity, cpu,
                    memory_mib, gpu, pods, extended, gpus, uid, boot_id, exit_code, reason, started_at, ended_at,
                    evidence, standing, standing_since, devices)
SELECT r.attempt, r.role, r.idx, r.tenant, r.ordinal, r.incarnation, r.state, r.node, r.node_name, r.model, r.capacity,
       r.cpu, r.memory_mib, r.gpu, r.pods, r.extended, r.gpus, r.uid, r.boot_id, r.exit_code, r.reason, r.started_at,
       r.ended_at, r.evidence, r.standing, r.standing_since, r.devices
FROM incoming r
WHERE r.joins
ORDER BY r.attempt, r.role, r.idx
