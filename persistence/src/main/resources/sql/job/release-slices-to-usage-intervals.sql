-- Like release-to-usage-intervals.sql: an interval of use for each member, without a known GPU.
WITH gone AS (
  DELETE FROM slice_allocation AS a
  USING json_to_recordset(CAST(:rows AS json)) AS r (
    attempt uuid, role text, idx int, tenant uuid, project uuid, queue uuid, used_by text, job uuid, cluster uuid,
    model text, capacity text)
  WHERE a.attempt = r.attempt AND a.role = r.role AND a.idx = r.idx
  RETURNING r.attempt, r.role, r.idx, r.tenant, r.project, r.queue, r.used_by, r.job, r.cluster, a.node, a.pool, r.model,
            r.capacity, a.milli, a.since_ms
)
INSERT INTO usage_interval (attempt, role, idx, tenant, project, queue, used_by, job, cluster, node, pool, model, capacity,
                            gpus, milli, slices, started_ms, ended_ms, service)
SELECT g.attempt, g.role, g.idx, g.tenant, g.project, g.queue, g.used_by, g.job, g.cluster, g.node, g.pool, g.model,
       g.capacity, ARRAY[-1], ARRAY[g.milli], ARRAY[0], g.since_ms,
       greatest(g.since_ms, (SELECT open_ms FROM usage_watermark), (extract(epoch FROM least(clock_timestamp(), fairlead_latest(:host))) * 1000)::bigint),
       (SELECT j.spec -> 'annotations' ->> 'serving.fairlead.dev/service' FROM job j WHERE j.id = g.job)
FROM gone g
ON CONFLICT DO NOTHING
