-- Each released allocation becomes an interval of use, one row for each member. A missing allocation leaves no row.
-- Only empty intervals of a member that moved twice within a millisecond can be equal. The lock of the job excludes other
-- writers, so no equal interval appears between the look and the insert. ON CONFLICT would confirm each insert in the log.
WITH gone AS (
  DELETE FROM allocation AS a
  USING json_to_recordset(CAST(:rows AS json)) AS r (
    attempt uuid, role text, idx int, tenant uuid, project uuid, queue uuid, used_by text, job uuid, cluster uuid,
    model text, capacity text, held jsonb, reports jsonb, ended_ms bigint)
  WHERE a.attempt = r.attempt AND a.role = r.role AND a.idx = r.idx
  RETURNING r.attempt, r.role, r.idx, r.tenant, r.project, r.queue, r.used_by, r.job, r.cluster, a.node, a.pool, r.model,
            r.capacity, r.held, r.reports, a.gpu, a.milli, a.slices, a.since_ms,
            greatest(a.since_ms, r.ended_ms) AS ended_ms
)
INSERT INTO usage_interval (attempt, role, idx, tenant, project, queue, used_by, job, cluster, node, pool, model, capacity,
                            gpus, milli, slices, devices, started_ms, ended_ms, service)
SELECT g.attempt, g.role, g.idx, g.tenant, g.project, g.queue, g.used_by, g.job, g.cluster, g.node, g.pool, g.model,
       g.capacity, array_agg(g.gpu ORDER BY g.gpu), array_agg(g.milli ORDER BY g.gpu), array_agg(g.slices ORDER BY g.gpu),
       fairlead_devices(g.held, g.reports), g.since_ms, g.ended_ms,
       (SELECT j.spec -> 'annotations' ->> 'serving.fairlead.dev/service' FROM job j WHERE j.id = g.job)
FROM gone g
WHERE NOT EXISTS (
  SELECT FROM usage_interval u
  WHERE u.attempt = g.attempt AND u.role = g.role AND u.idx = g.idx AND u.started_ms = g.since_ms AND u.ended_ms = g.ended_ms)
GROUP BY g.attempt, g.role, g.idx, g.tenant, g.project, g.queue, g.used_by, g.job, g.cluster, g.node, g.pool, g.model,
         g.capacity, g.held, g.reports, g.since_ms, g.ended_ms
