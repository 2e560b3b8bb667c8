UPDATE schedule
SET suspended = :suspended, decided = :decided, next_instant = :nextInstant, next_at = :nextAt, failures = :failures,
    decisions = :decisions
WHERE id = :id
