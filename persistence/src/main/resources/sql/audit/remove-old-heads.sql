DELETE FROM audit_head WHERE sequence < (
  SELECT min(sequence) FROM (SELECT sequence FROM audit_head ORDER BY sequence DESC LIMIT :kept) AS newest)
