-- A burst lasts less than three minutes and has the time when its first event was received.
SELECT EXISTS (
  SELECT FROM health_event
  WHERE received_at >= CAST(:since AS timestamptz) - interval '3 minutes'
    AND incident = :incident AND verdict = 'FATAL' AND coalesce(last_at, at) > CAST(:since AS timestamptz)
)
