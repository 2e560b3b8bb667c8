SELECT DISTINCT a.attempt
FROM gpu_held a
JOIN attempt t ON t.id = a.attempt AND t.live
WHERE a.attempt IN (SELECT unnest(CAST(:attempts AS uuid[])))
