INSERT INTO idle_cost_policy (from_month, idle, out_of_service, weights, recorded_by, recorded_at)
VALUES (:from, :idle, :outOfService, jsonb_object(CAST(:tenants AS text[]), CAST(:weights AS text[])), :by, :at)
