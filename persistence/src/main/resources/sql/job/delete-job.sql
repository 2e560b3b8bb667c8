-- Guards: the job has ended, and no object of it remains on a cluster. Its rows are deleted with it, and its events remain. Its logs get
-- the maximum age: the next sweep deletes them.
WITH live AS (
  DELETE FROM job
  WHERE id = :id AND NOT active AND NOT EXISTS (SELECT FROM attempt a WHERE a.job = :id AND a.retired_at IS NULL)
  RETURNING id, tenant, project, queue, state, submitted_by, gpu_milli
), archived AS (
  DELETE FROM job_archive WHERE id = :id
  RETURNING id, tenant, project, queue, state, submitted_by, gpu_milli
), gone AS (
  SELECT * FROM live UNION ALL SELECT * FROM archived
), parts AS (
  DELETE FROM job_archive_part p USING gone WHERE p.job = gone.id
), undecided AS (
  DELETE FROM job_decision d USING gone WHERE d.job = gone.id
), unmeasured AS (
  DELETE FROM attempt_efficiency e USING gone WHERE e.job = gone.id
), unclaimed AS (
  DELETE FROM workdir_claim c USING gone WHERE c.job = gone.id
), unlabelled AS (
  DELETE FROM job_label l USING gone WHERE l.job = gone.id
), logs AS (
  UPDATE log_member m SET ended_at = 'epoch'
  FROM (SELECT a.id FROM attempt a WHERE a.job = :id
        UNION ALL
        SELECT CAST(x ->> 'id' AS uuid) FROM job_archive_rows r, jsonb_array_elements(r.attempt_rows) AS x WHERE r.id = :id) AS a
  WHERE m.attempt = a.id AND m.job IN (SELECT id FROM gone)
), told AS (
  INSERT INTO job_tally (tenant, project, queue, state, submitted_by, jobs, gpu_milli)
  SELECT tenant, project, queue, state, submitted_by, -1, -gpu_milli FROM gone
)
SELECT count(*) FROM gone
