DELETE FROM supply_request
WHERE id IN (
  SELECT id FROM supply_request WHERE ended_at < CAST(:before AS timestamptz) ORDER BY ended_at LIMIT :most
)
