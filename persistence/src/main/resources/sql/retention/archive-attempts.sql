-- A part of a large ended job: its first attempts with their members, at most :rows rows or one attempt.
WITH ended AS (
  SELECT j.id, j.tenant FROM job j
  WHERE j.id = :job AND NOT j.active
    AND NOT EXISTS (SELECT FROM attempt a WHERE a.job = j.id AND a.retired_at IS NULL)
  FOR UPDATE SKIP LOCKED
), counted AS (
  SELECT a.id, row_number() OVER first_ones AS nth,
         sum(1 + (SELECT count(*) FROM member m WHERE m.attempt = a.id)) OVER first_ones AS rows
  FROM (SELECT x.id, x.element, x.number FROM attempt x JOIN ended ON x.job = ended.id
        ORDER BY x.element, x.number LIMIT :rows) AS a
  WINDOW first_ones AS (ORDER BY a.element, a.number)
), chosen AS (
  SELECT id FROM counted WHERE nth = 1 OR rows <= :rows
), members AS (
  DELETE FROM member m USING chosen c WHERE m.attempt = c.id
  RETURNING m.*
), attempts AS (
  DELETE FROM attempt a USING chosen c WHERE a.id = c.id
  RETURNING a.*
)
INSERT INTO job_archive_part (job, part, tenant, element_rows, attempt_rows, member_rows)
SELECT e.id, (SELECT coalesce(max(p.part) + 1, 0) FROM job_archive_part p WHERE p.job = e.id), e.tenant, '[]',
       (SELECT jsonb_agg(to_jsonb(a) ORDER BY a.id) FROM attempts a),
       coalesce((SELECT jsonb_agg(to_jsonb(m) ORDER BY m.attempt, m.ordinal) FROM members m), '[]')
FROM ended e
WHERE EXISTS (SELECT FROM chosen)
