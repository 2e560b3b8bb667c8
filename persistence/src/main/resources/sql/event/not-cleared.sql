-- Starts from the jobs of remaining attempts instead of reading all events. Remaining attempts are stored again each day, so two days are read.
SELECT stays.job AS subject, e.attempt, e.at, e.message
FROM (SELECT DISTINCT job FROM attempt WHERE cluster = :cluster AND retired_at IS NULL AND NOT live) AS stays
  CROSS JOIN LATERAL (
    SELECT f.data ->> 'attempt' AS attempt, v.at, v.seq, f.data ->> 'message' AS message
    FROM event v CROSS JOIN LATERAL fairlead_facts(v.type, v.data, v.more) AS f
    WHERE v.subject = stays.job AND f.type = 'AttemptNotCleared' AND f.data ->> 'cluster' = :text
      AND v.at > now() - interval '2 days'
    ORDER BY v.incarnation DESC, v.xid DESC, v.seq DESC
    LIMIT :limit) AS e
ORDER BY e.at DESC, e.seq DESC
LIMIT :limit
