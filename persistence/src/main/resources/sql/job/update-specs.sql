-- The filler moves the changed spec out of line, as in a new row. Name, submitter and time change only when a
-- submit takes over a member of a warm pool.
WITH changed AS (
  UPDATE job
  SET patched_at = now(), filler = DEFAULT, spec = jsonb_strip_nulls(r.spec), spec_version = r.version, labels = r.labels,
      priority = r.priority, gpu_milli = r.gpu_milli, name = r.name, submitted_by = r.submitted_by, created_at = r.created_at
  FROM json_to_recordset(CAST(:rows AS json)) AS r (
    id uuid, version bigint, spec jsonb, labels jsonb, priority int, gpu_milli bigint, name text, submitted_by text,
    created_at timestamptz)
  WHERE job.id = r.id
  RETURNING job.tenant, job.project, job.id, job.labels
), wanted AS (
  SELECT c.tenant, c.id, l.key || '=' || l.value AS label, CASE l.key WHEN 'pipeline' THEN c.project END AS project
  FROM changed c, jsonb_each_text(c.labels) l
), dropped AS (
  DELETE FROM job_label l USING changed c
  WHERE l.job = c.id AND NOT EXISTS (SELECT FROM wanted w WHERE w.id = l.job AND w.label = l.label)
)
INSERT INTO job_label (tenant, job, label, project)
SELECT tenant, id, label, project FROM wanted
ON CONFLICT DO NOTHING
