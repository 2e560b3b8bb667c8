-- Rows of one group are merged into one, and deleted if their sum is zero.
WITH gone AS (
  DELETE FROM job_tally t
  USING (SELECT tenant, project, queue, state, submitted_by FROM job_tally
         GROUP BY tenant, project, queue, state, submitted_by HAVING count(*) > 1) AS several
  WHERE t.tenant = several.tenant AND t.project = several.project AND t.queue = several.queue
    AND t.state = several.state AND t.submitted_by = several.submitted_by
  RETURNING t.*
)
INSERT INTO job_tally (tenant, project, queue, state, submitted_by, jobs, gpu_milli)
SELECT tenant, project, queue, state, submitted_by, sum(jobs), sum(gpu_milli)
FROM gone
GROUP BY tenant, project, queue, state, submitted_by
HAVING sum(jobs) <> 0
