INSERT INTO hang (id, cluster, job, attempt, nodes, node_names, cause, since, at)
VALUES (:id, :cluster, :job, :attempt, CAST(:nodes AS uuid[]), CAST(:names AS text[]), :cause, CAST(:since AS timestamptz),
        CAST(:at AS timestamptz))
