INSERT INTO advance_reservation (id, tenant, project, starts, ends, content)
VALUES (:id, CAST(:tenant AS uuid), CAST(:project AS uuid), :starts, :ends, CAST(:content AS jsonb))
