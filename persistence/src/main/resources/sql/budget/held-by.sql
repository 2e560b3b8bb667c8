-- Inputs of GPU prices, for the present holdings of attempts.
SELECT a.attempt, t.cluster, coalesce(a.pool, '') AS pool, m.model, m.capacity, sum(a.milli) AS milli
FROM gpu_held a
JOIN attempt t ON t.id = a.attempt
JOIN member m ON m.attempt = a.attempt AND m.role = a.role AND m.idx = a.idx
WHERE a.attempt IN (SELECT unnest(CAST(:attempts AS uuid[])))
GROUP BY 1, 2, 3, 4, 5
ORDER BY 1, 2, 3, 4, 5
