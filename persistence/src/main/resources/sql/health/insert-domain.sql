INSERT INTO domain_quarantine (id, cluster, level, domain, reason, owner, since, until, released_at, released, version)
VALUES (:id, :cluster, :level, :domain, :reason, :owner, CAST(:since AS timestamptz), CAST(:until AS timestamptz),
        CAST(:released_at AS timestamptz), :released, :version)
