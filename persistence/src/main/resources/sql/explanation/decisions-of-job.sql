-- Decisions of kinds that this version supports.
SELECT at, kind, body, expected_p50, expected_p90
FROM job_decision
WHERE tenant = :tenant AND job = :job AND kind IN ('PLACED', 'WAITED', 'EVICTED', 'MOVED', 'UNREACHABLE', 'REACHABLE')
ORDER BY id DESC
LIMIT :most
