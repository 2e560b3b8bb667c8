-- A window for each kind: attempts that cannot move keep no others out of sight. Patches are looked for as far back as the
-- time between two looks of a supervisor at all attempts of its cluster.
SELECT w.id, w.kind, a.state, CASE WHEN a.live THEN j.version ELSE 0 END AS version
FROM (
  (SELECT id, 'START' AS kind FROM attempt
   WHERE cluster = :cluster AND retired_at IS NULL AND state NOT IN ('PULLING', 'RUNNING', 'UNKNOWN')
     AND state IN ('PLANNED', 'LAUNCHING') AND id > :start
   ORDER BY id LIMIT :each)
  UNION ALL
  (SELECT id, 'STOP' FROM attempt
   WHERE cluster = :cluster AND retired_at IS NULL AND state NOT IN ('PULLING', 'RUNNING', 'UNKNOWN')
     AND state = 'STOPPING' AND id > :stop
   ORDER BY id LIMIT :each)
  UNION ALL
  (SELECT id, 'CLEAR' FROM attempt
   WHERE cluster = :cluster AND retired_at IS NULL AND state NOT IN ('PULLING', 'RUNNING', 'UNKNOWN')
     AND state NOT IN ('PLANNED', 'LAUNCHING', 'STOPPING') AND id > :clear
   ORDER BY id LIMIT :each)
  UNION ALL
  (SELECT id, 'CHANGE' FROM (
     SELECT a.id FROM job j JOIN attempt a ON a.job = j.id
     WHERE j.state IN ('CANCELLING', 'SUSPENDED')
       AND a.cluster = :cluster AND a.retired_at IS NULL AND a.state IN ('PULLING', 'RUNNING', 'UNKNOWN')
     UNION
     SELECT a.id FROM job j JOIN attempt a ON a.job = j.id
     WHERE j.patched_at > now() - interval '5 minutes'
       AND a.cluster = :cluster AND a.retired_at IS NULL AND a.state IN ('PULLING', 'RUNNING', 'UNKNOWN')
     UNION
     SELECT a.id FROM member m JOIN attempt a ON a.id = m.attempt
     WHERE m.standing IN ('JOINING', 'LEAVING')
       AND a.cluster = :cluster AND a.retired_at IS NULL AND a.state IN ('PULLING', 'RUNNING', 'UNKNOWN')) AS changing
   WHERE id > :change
   ORDER BY id LIMIT :each)
) AS w JOIN attempt a ON a.id = w.id JOIN job j ON j.id = a.job
ORDER BY w.id
