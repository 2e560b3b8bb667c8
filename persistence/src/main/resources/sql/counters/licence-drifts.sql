-- What an attempt still holds that lives no more: a version from before licences ended it.
SELECT h.attempt AS id, h.licence AS counter, h.count AS counted, 0 AS held
FROM licence_hold h
WHERE NOT EXISTS (SELECT FROM attempt a WHERE a.id = h.attempt AND a.live)
ORDER BY h.attempt, h.licence
