DELETE FROM repair
WHERE id IN (
  SELECT id FROM repair WHERE ended_at < CAST(:before AS timestamptz) ORDER BY ended_at LIMIT :most
)
