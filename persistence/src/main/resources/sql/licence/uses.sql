SELECT l.name, l.count, l.cluster, coalesce(sum(h.count), 0) AS held, count(h.attempt) AS jobs
FROM licence l LEFT JOIN licence_hold h ON h.licence = l.name
GROUP BY l.name
ORDER BY l.name
