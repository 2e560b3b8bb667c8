UPDATE operation
SET state = :state, total_count = :total, left_count = :left, step = :step, ended_at = CAST(:ended AS timestamptz),
    version = :version
WHERE id = :id AND version = :version - 1
