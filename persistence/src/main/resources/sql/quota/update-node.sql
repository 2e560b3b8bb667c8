UPDATE quota_node
SET name = :name, weight = :weight, preempt_within = :within, preempt_reclaim = :reclaim, preempt_fair_share = :fair,
    queue_order = :order, queue_state = :state, default_max_runtime_millis = :runtime, share_policy = :share,
    fair_by_user = :by_user, usage_half_life_millis = :half_life, limit_count = :limits, version = :version
WHERE id = :id AND tenant = :tenant AND version = :version - 1
