UPDATE quota_node
SET name = :name, weight = :weight, preempt_within = :within, preempt_reclaim = :reclaim, preempt_fair_share = :fair,
    preempt_while_borrowing = :while_borrowing, preempt_max_victim_priority = :max_victim,
    flavor_when_can_borrow = :can_borrow, flavor_when_can_preempt = :can_preempt, flavor_preference = :preference,
    queue_order = :order, queue_state = :state, default_max_runtime_millis = :runtime, share_policy = :share,
    fair_by_user = :by_user, user_running = :user_running, user_gpu_milli = :user_gpu_milli,
    user_queued = :user_queued, usage_half_life_millis = :half_life, routing = :routing, limit_count = :limits, version = :version
WHERE id = :id AND tenant IS NOT DISTINCT FROM CAST(:tenant AS uuid) AND version = :version - 1
