-- Licences that ended attempts still hold, because a version without licences ended them.
SELECT h.attempt AS id, h.licence AS counter, h.count AS counted, 0 AS held
FROM licence_hold h
WHERE NOT EXISTS (SELECT FROM attempt a WHERE a.id = h.attempt AND a.live)
ORDER BY h.attempt, h.licence
