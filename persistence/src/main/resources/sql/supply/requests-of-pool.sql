SELECT content
FROM supply_request
WHERE pool = :pool
ORDER BY id DESC
LIMIT :most
