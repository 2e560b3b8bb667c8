SELECT h.node, h.queue, h.used_by, h.milli_seconds, h.at
FROM use_history h JOIN quota_node n ON n.id = h.node
WHERE n.usage_half_life_millis IS NOT NULL
