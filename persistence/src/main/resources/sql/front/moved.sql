SELECT f.uid
FROM front_job AS f
LEFT JOIN job AS j ON j.id = f.job
WHERE f.cluster = :cluster AND f.uid > :after AND f.job IS NOT NULL AND j.version IS DISTINCT FROM f.shown
ORDER BY f.uid
LIMIT :most
