-- The log of a deleted job keeps the maximum age, even if its last output arrives later.
INSERT INTO log_member (attempt, role, idx, incarnation, tenant, project, job, second_at, first_at, taken, last_at,
                        sequence, bytes, stored, gaps, ended_at, removed)
SELECT r.attempt, r.role, r.idx, r.incarnation, r.tenant, r.project, r.job, r.second_at, r.first_at, r.taken, r.last_at,
       r.sequence, r.bytes, r.stored, r.gaps,
       CASE WHEN r.ended_at IS NOT NULL AND NOT EXISTS (SELECT FROM job j WHERE j.id = r.job)
                 AND NOT EXISTS (SELECT FROM job_archive a WHERE a.id = r.job)
            THEN 'epoch' ELSE r.ended_at END, r.removed
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  attempt uuid, role text, idx int, incarnation int, tenant uuid, project uuid, job uuid, second_at timestamptz,
  first_at text, taken bigint, last_at text, sequence int, bytes bigint, stored bigint, gaps int, ended_at timestamptz,
  removed text)
ORDER BY r.attempt, r.role, r.idx, r.incarnation
ON CONFLICT (attempt, role, idx, incarnation) DO UPDATE
SET second_at = excluded.second_at, first_at = excluded.first_at, taken = excluded.taken, last_at = excluded.last_at,
    sequence = excluded.sequence, bytes = excluded.bytes, stored = excluded.stored, gaps = excluded.gaps,
    ended_at = CASE WHEN log_member.ended_at = 'epoch' THEN log_member.ended_at ELSE excluded.ended_at END,
    removed = excluded.removed
