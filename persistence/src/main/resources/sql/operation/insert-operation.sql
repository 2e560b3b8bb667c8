INSERT INTO operation (id, tenant, kind, actor, cluster, node, subject, state, total_count, left_count, step, deadline, at_deadline,
                       created_at, ended_at, version)
VALUES (:id, :tenant, :kind, :actor, :cluster, CAST(:node AS uuid), :subject, :state, :total, :left, :step,
        CAST(:deadline AS timestamptz), :then, CAST(:created AS timestamptz), CAST(:ended AS timestamptz), :version)
