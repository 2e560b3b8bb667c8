SELECT DISTINCT ON (node) content
FROM health_test_run
WHERE test = :test
ORDER BY node, id DESC
