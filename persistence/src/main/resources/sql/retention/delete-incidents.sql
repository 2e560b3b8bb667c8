-- Deletes incidents with their quarantines, quarantines that operators ordered without one (domain quarantines after those of their
-- nodes), and hung attempts.
WITH old AS (
  SELECT id FROM incident
  WHERE ended_at < now() - make_interval(secs => :seconds)
    AND NOT EXISTS (SELECT FROM quarantine q WHERE q.incident = incident.id AND q.released_at IS NULL)
  ORDER BY ended_at
  LIMIT :limit
  FOR UPDATE SKIP LOCKED
), theirs AS (
  DELETE FROM quarantine WHERE incident IN (SELECT id FROM old)
), ordered AS (
  DELETE FROM quarantine WHERE incident IS NULL AND released_at < now() - make_interval(secs => :seconds)
), domains AS (
  DELETE FROM domain_quarantine d WHERE released_at < now() - make_interval(secs => :seconds)
    AND NOT EXISTS (SELECT FROM quarantine q WHERE q.domain_quarantine = d.id)
), hung AS (
  DELETE FROM hang WHERE id IN (
    SELECT id FROM hang WHERE at < now() - make_interval(secs => :seconds) ORDER BY at LIMIT :limit)
)
DELETE FROM incident WHERE id IN (SELECT id FROM old)
