SELECT job, element, kind, preflight, cluster, members, victims, created_at, starts_at, expires_at
FROM reservation
ORDER BY job, element
