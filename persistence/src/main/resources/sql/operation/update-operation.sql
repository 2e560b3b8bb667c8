UPDATE operation
SET state = :state, total_count = :total, left_count = :left, step = :step, deadline = CAST(:deadline AS timestamptz),
    at_deadline = :then, ended_at = CAST(:ended AS timestamptz), version = :version
WHERE id = :id AND version = :version - 1
