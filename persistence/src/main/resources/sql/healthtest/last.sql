SELECT DISTINCT ON (node) content
FROM health_test_run
WHERE test = :test AND wanted_by IS NULL
ORDER BY node, id DESC
