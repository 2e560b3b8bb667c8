DELETE FROM schedule_run
WHERE tenant = :tenant AND schedule = :schedule
  AND instant <= (
    SELECT r.instant FROM schedule_run r WHERE r.schedule = :schedule ORDER BY r.instant DESC OFFSET :retained LIMIT 1)
