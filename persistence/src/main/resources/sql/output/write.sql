UPDATE attempt
SET outputs = CASE WHEN id = :attempt THEN CAST(:outputs AS jsonb) END
WHERE job = :job AND tenant = :tenant AND (id = :attempt OR outputs IS NOT NULL)
