-- The log of a deleted job keeps the maximum age, even if its last output arrives later. The fence of the supervisor excludes others that
-- insert logs of its cluster, so no row appears between the look and the insert. ON CONFLICT would lock each row and confirm each insert.
WITH incoming AS MATERIALIZED (
  SELECT r.attempt, r.role, r.idx, r.incarnation, r.tenant, r.project, r.job, r.second_at, r.first_at, r.taken, r.last_at,
         r.sequence, r.bytes, r.stored, r.gaps, r.removed,
         CASE WHEN r.ended_at IS NOT NULL AND NOT EXISTS (SELECT FROM job j WHERE j.id = r.job)
                   AND NOT EXISTS (SELECT FROM job_archive a WHERE a.id = r.job)
              THEN 'epoch' ELSE r.ended_at END AS ended_at,
         NOT EXISTS (SELECT FROM log_member s
                     WHERE s.attempt = r.attempt AND s.role = r.role AND s.idx = r.idx AND s.incarnation = r.incarnation) AS joins
  FROM json_to_recordset(CAST(:rows AS json)) AS r (
    attempt uuid, role text, idx int, incarnation int, tenant uuid, project uuid, job uuid, second_at timestamptz,
    first_at text, taken bigint, last_at text, sequence int, bytes bigint, stored bigint, gaps int, ended_at timestamptz,
    removed text)
), changed AS (
  UPDATE log_member AS m
  SET second_at = r.second_at, first_at = r.first_at, taken = r.taken, last_at = r.last_at, sequence = r.sequence,
      bytes = r.bytes, stored = r.stored, gaps = r.gaps,
      ended_at = CASE WHEN m.ended_at = 'epoch' THEN m.ended_at ELSE r.ended_at END, removed = r.removed
  FROM incoming r
  WHERE NOT r.joins AND m.attempt = r.attempt AND m.role = r.role AND m.idx = r.idx AND m.incarnation = r.incarnation
)
INSERT INTO log_member (attempt, role, idx, incarnation, tenant, project, job, second_at, first_at, taken, last_at,
                        sequence, bytes, stored, gaps, ended_at, removed)
SELECT r.attempt, r.role, r.idx, r.incarnation, r.tenant, r.project, r.job, r.second_at, r.first_at, r.taken, r.last_at,
       r.sequence, r.bytes, r.stored, r.gaps, r.ended_at, r.removed
FROM incoming r
WHERE r.joins
ORDER BY r.attempt, r.role, r.idx, r.incarnation
