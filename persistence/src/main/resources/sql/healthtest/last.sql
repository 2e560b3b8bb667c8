-- Skips from node to node in the index: a test may have millions of runs.
WITH RECURSIVE tested AS (
  (SELECT node FROM health_test_run WHERE test = :test AND wanted_by IS NULL ORDER BY node LIMIT 1)
  UNION ALL
  SELECT (SELECT run.node FROM health_test_run AS run
          WHERE run.test = :test AND run.wanted_by IS NULL AND run.node > tested.node
          ORDER BY run.node LIMIT 1)
  FROM tested
  WHERE tested.node IS NOT NULL)
SELECT newest.content
FROM tested
CROSS JOIN LATERAL (
  SELECT content FROM health_test_run
  WHERE test = :test AND node = tested.node AND wanted_by IS NULL
  ORDER BY id DESC
  LIMIT 1) AS newest
