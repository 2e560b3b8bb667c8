SELECT m.job, m.since, m.expected, e.class_key, e.body
FROM job_explanation m
JOIN explanation e ON e.class_key = m.class_key
WHERE m.job IN (SELECT unnest(CAST(:jobs AS uuid[])))
