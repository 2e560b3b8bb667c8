-- The last part of a log is in its row. It becomes a row of log_chunk when another part follows without replacing it.
-- The log of a deleted job keeps the maximum age, even if its last output arrives later. The fence of the supervisor excludes others that
-- insert logs of its cluster, so no row appears between the look and the insert. ON CONFLICT would lock each row and confirm each insert.
-- The end of an abandoned log is not fenced by its supervisor. NULL is no sequence, so the second of two writers that read the same state
-- is refused, also when it has waited for the first.
WITH incoming AS MATERIALIZED (
  SELECT r.attempt, r.role, r.idx, r.incarnation, r.tenant, r.project, r.job, r.second_at, r.first_at, r.taken, r.last_at,
         r.sequence, r.bytes, r.stored, r.gaps, r.removed, r.before, r.replaced, r.part_nonce, r.part_from, r.part_to,
         r.part_lines, r.part_bytes, r.part_stored, r.part_gap,
         CASE WHEN r.ended_at IS NOT NULL AND NOT EXISTS (SELECT FROM job j WHERE j.id = r.job)
                   AND NOT EXISTS (SELECT FROM job_archive a WHERE a.id = r.job)
              THEN 'epoch' ELSE r.ended_at END AS ended_at,
         NOT EXISTS (SELECT FROM log_member s
                     WHERE s.attempt = r.attempt AND s.role = r.role AND s.idx = r.idx AND s.incarnation = r.incarnation) AS joins
  FROM json_to_recordset(CAST(:rows AS json)) AS r (
    attempt uuid, role text, idx int, incarnation int, tenant uuid, project uuid, job uuid, second_at timestamptz,
    first_at text, taken bigint, last_at text, sequence int, bytes bigint, stored bigint, gaps int, ended_at timestamptz,
    removed text, before int, replaced int, part_nonce bigint, part_from timestamptz, part_to timestamptz,
    part_lines bigint, part_bytes bigint, part_stored bigint, part_gap text)
), earlier AS (
  INSERT INTO log_chunk (attempt, role, idx, incarnation, sequence, nonce, tenant, from_at, to_at, lines, bytes, stored, gap)
  SELECT m.attempt, m.role, m.idx, m.incarnation, m.sequence, m.part_nonce, m.tenant, m.part_from, m.part_to, m.part_lines,
         m.part_bytes, m.part_stored, m.part_gap
  FROM incoming r
  JOIN log_member m ON m.attempt = r.attempt AND m.role = r.role AND m.idx = r.idx AND m.incarnation = r.incarnation
  WHERE r.part_nonce IS NOT NULL AND m.part_nonce IS NOT NULL AND m.sequence <> r.replaced
), changed AS (
  UPDATE log_member AS m
  SET second_at = r.second_at, first_at = r.first_at, taken = r.taken, last_at = r.last_at,
      sequence = CASE WHEN m.sequence = r.before THEN r.sequence END, bytes = r.bytes, stored = r.stored, gaps = r.gaps,
      ended_at = CASE WHEN m.ended_at = 'epoch' THEN m.ended_at ELSE r.ended_at END, removed = r.removed,
      part_nonce = coalesce(r.part_nonce, m.part_nonce), part_from = coalesce(r.part_from, m.part_from),
      part_to = coalesce(r.part_to, m.part_to), part_lines = coalesce(r.part_lines, m.part_lines),
      part_bytes = coalesce(r.part_bytes, m.part_bytes), part_stored = coalesce(r.part_stored, m.part_stored),
      part_gap = CASE WHEN r.part_nonce IS NULL THEN m.part_gap ELSE r.part_gap END
  FROM incoming r
  WHERE NOT r.joins AND m.attempt = r.attempt AND m.role = r.role AND m.idx = r.idx AND m.incarnation = r.incarnation
)
INSERT INTO log_member (attempt, role, idx, incarnation, tenant, project, job, second_at, first_at, taken, last_at,
                        sequence, bytes, stored, gaps, ended_at, removed, part_nonce, part_from, part_to, part_lines,
                        part_bytes, part_stored, part_gap)
SELECT r.attempt, r.role, r.idx, r.incarnation, r.tenant, r.project, r.job, r.second_at, r.first_at, r.taken, r.last_at,
       r.sequence, r.bytes, r.stored, r.gaps, r.ended_at, r.removed, r.part_nonce, r.part_from, r.part_to, r.part_lines,
       r.part_bytes, r.part_stored, r.part_gap
FROM incoming r
WHERE r.joins
ORDER BY r.attempt, r.role, r.idx, r.incarnation
