SELECT name, shown_since
FROM node
WHERE cluster = :cluster AND name IN (SELECT unnest(CAST(:names AS text[]))) AND state <> 'RETIRED'
  AND shown_since IS NOT NULL
