-- Number of rows, up to the relevant limit.
SELECT count(*) FROM (SELECT FROM /*table*/ WHERE tenant = :tenant/*conditions*/ LIMIT :few) AS counted
