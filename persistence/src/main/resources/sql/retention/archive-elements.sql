-- The first elements of a large ended job whose attempts are in the archive.
WITH ended AS (
  SELECT j.id, j.tenant FROM job j
  WHERE j.id = :job AND NOT j.active AND NOT EXISTS (SELECT FROM attempt a WHERE a.job = j.id)
  FOR UPDATE SKIP LOCKED
), elements AS (
  DELETE FROM job_element e USING ended
  WHERE e.job = ended.id
    AND e.idx IN (SELECT x.idx FROM job_element x WHERE x.job = :job ORDER BY x.idx LIMIT :rows)
  RETURNING e.*
)
INSERT INTO job_archive_part (job, part, tenant, element_rows, attempt_rows, member_rows)
SELECT e.id, (SELECT coalesce(max(p.part) + 1, 0) FROM job_archive_part p WHERE p.job = e.id), e.tenant,
       (SELECT jsonb_agg(to_jsonb(x) ORDER BY x.idx) FROM elements x), '[]', '[]'
FROM ended e
WHERE EXISTS (SELECT FROM elements)
