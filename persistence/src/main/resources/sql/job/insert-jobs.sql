-- Each step of a job copies its row, so the nulls of its spec are not stored. A row that is missing from the result already exists, or
-- an active job of the project has its name.
WITH stored AS (
  INSERT INTO job (id, tenant, project, queue, name, submitted_by, priority, gpu_milli, created_at, state, changed_at,
                   started_at, ended_at, attempts, failures, faults, retry_at, failure, progress, spec, labels, version,
                   depends, mounts)
  SELECT r.id, r.tenant, r.project, r.queue, r.name, r.submitted_by, r.priority, r.gpu_milli, r.created_at, r.state,
         r.changed_at, r.started_at, r.ended_at, r.attempts, r.failures, r.faults, r.retry_at, r.failure, r.progress,
         jsonb_strip_nulls(r.spec), r.labels, r.version,
         coalesce(r.spec -> 'dependsOn' @> '[{}]', false), coalesce(r.spec -> 'volumes' @> '[{}]', false)
  FROM json_to_recordset(CAST(:rows AS json)) AS r (
    id uuid, tenant uuid, project uuid, queue uuid, name text, submitted_by text, priority int, gpu_milli bigint,
    created_at timestamptz, state text, changed_at timestamptz, started_at timestamptz, ended_at timestamptz,
    attempts int, failures int, faults int, retry_at timestamptz, failure jsonb, progress jsonb, spec jsonb, labels jsonb,
    version bigint)
  ORDER BY r.id
  ON CONFLICT DO NOTHING
  RETURNING id, tenant, project, queue, state, submitted_by, gpu_milli, active, labels
), labelled AS (
  INSERT INTO job_label (tenant, job, label, project)
  SELECT s.tenant, s.id, l.key || '=' || l.value, CASE l.key WHEN 'pipeline' THEN s.project END
  FROM stored s, jsonb_each_text(s.labels) l
), told AS (
  INSERT INTO job_tally (tenant, project, queue, state, submitted_by, jobs, gpu_milli)
  SELECT tenant, project, queue, state, submitted_by, 1, gpu_milli FROM stored WHERE NOT active
)
SELECT id FROM stored
