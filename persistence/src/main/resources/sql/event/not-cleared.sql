-- Uses the jobs of remaining attempts, not all events. Remaining attempts are stored again each day, so two days are read.
SELECT stays.job AS subject, e.attempt, e.at, e.message
FROM (SELECT DISTINCT job FROM attempt WHERE cluster = :cluster AND retired_at IS NULL AND NOT live) AS stays
  CROSS JOIN LATERAL (
    SELECT data ->> 'attempt' AS attempt, at, seq, data ->> 'message' AS message
    FROM event
    WHERE subject = stays.job AND type = 'AttemptNotCleared' AND data ->> 'cluster' = :text
      AND at > now() - interval '2 days'
    ORDER BY incarnation DESC, xid DESC, seq DESC
    LIMIT :limit) AS e
ORDER BY e.at DESC, e.seq DESC
LIMIT :limit
