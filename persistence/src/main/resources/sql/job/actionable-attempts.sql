-- One window for each kind, so that blocked attempts do not hide others. Patches are searched as far back as the interval between two
-- full passes of a supervisor over the attempts of its cluster. Ended attempts are retained for a while and returned in each pass. The
-- job is read only for live attempts.
SELECT w.id, w.kind, w.state, CASE WHEN w.live THEN (SELECT version FROM job WHERE id = w.job) ELSE 0 END AS version
FROM (
  (SELECT id, 'START' AS kind, state, live, job FROM attempt
   WHERE cluster = :cluster AND retired_at IS NULL AND NOT observed
     AND state IN ('PLANNED', 'LAUNCHING') AND id > :start
   ORDER BY id LIMIT :each)
  UNION ALL
  (SELECT id, 'STOP', state, live, job FROM attempt
   WHERE cluster = :cluster AND retired_at IS NULL AND NOT observed
     AND state = 'STOPPING' AND id > :stop
   ORDER BY id LIMIT :each)
  UNION ALL
  (SELECT id, 'CLEAR', state, live, job FROM attempt
   WHERE cluster = :cluster AND retired_at IS NULL AND NOT observed
     AND state NOT IN ('PLANNED', 'LAUNCHING', 'STOPPING') AND id > :clear
   ORDER BY id LIMIT :each)
  UNION ALL
  (SELECT id, 'CHANGE', state, live, job FROM (
     SELECT a.id, a.state, a.live, a.job FROM job j JOIN attempt a ON a.job = j.id
     WHERE j.phase IN ('CANCELLING', 'SUSPENDED')
       AND a.cluster = :cluster AND a.retired_at IS NULL AND a.observed
     UNION
     SELECT a.id, a.state, a.live, a.job FROM job j JOIN attempt a ON a.job = j.id
     WHERE j.patched_at > now() - interval '5 minutes'
       AND a.cluster = :cluster AND a.retired_at IS NULL AND a.observed
     UNION
     SELECT a.id, a.state, a.live, a.job FROM member m JOIN attempt a ON a.id = m.attempt
     WHERE m.standing IN ('JOINING', 'LEAVING')
       AND a.cluster = :cluster AND a.retired_at IS NULL AND a.observed) AS changing
   WHERE id > :change
   ORDER BY id LIMIT :each)
) AS w
ORDER BY w.id
