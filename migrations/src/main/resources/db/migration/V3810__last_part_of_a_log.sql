SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- The last part of a log, whose number is in the column sequence. Earlier parts are rows of log_chunk. Most logs have one part.
ALTER TABLE log_member
  ADD COLUMN part_nonce  bigint,
  ADD COLUMN part_from   timestamptz,
  ADD COLUMN part_to     timestamptz,
  ADD COLUMN part_lines  bigint,
  ADD COLUMN part_bytes  bigint,
  ADD COLUMN part_stored bigint,
  ADD COLUMN part_gap    text;

-- The next lines of an open log may replace its last part. Parts of ended logs do not change.
SET LOCAL ROLE fairlead_loops;
UPDATE log_member AS m
SET part_nonce = c.nonce, part_from = c.from_at, part_to = c.to_at, part_lines = c.lines, part_bytes = c.bytes,
    part_stored = c.stored, part_gap = c.gap
FROM log_chunk c
WHERE m.ended_at IS NULL AND c.attempt = m.attempt AND c.role = m.role AND c.idx = m.idx AND c.incarnation = m.incarnation
  AND c.sequence = m.sequence;
DELETE FROM log_chunk AS c
USING log_member m
WHERE m.ended_at IS NULL AND c.attempt = m.attempt AND c.role = m.role AND c.idx = m.idx AND c.incarnation = m.incarnation
  AND c.sequence = m.sequence;
