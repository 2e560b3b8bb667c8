INSERT INTO operation (id, tenant, kind, actor, cluster, node, subject, state, total_count, left_count, step, created_at, ended_at, version)
VALUES (:id, :tenant, :kind, :actor, :cluster, CAST(:node AS uuid), :subject, :state, :total, :left, :step,
        CAST(:created AS timestamptz), CAST(:ended AS timestamptz), :version)
