-- How many there are, as far as it matters.
SELECT count(*) FROM (SELECT FROM /*table*/ WHERE tenant = :tenant/*conditions*/ LIMIT :few) AS counted
