-- Each part of a scope is that of the job, or none: eight look-ups in the index budget_of_scope, however many budgets there are.
SELECT b.id
FROM budget b
WHERE b.id = ANY (ARRAY(
    SELECT c.budget FROM budget_charge c WHERE c.attempt IN (SELECT unnest(CAST(:attempts AS uuid[])))
    UNION
    SELECT x.id
    FROM json_to_recordset(CAST(:jobs AS json)) AS r (tenant uuid, project uuid, queue uuid, used_by text)
    CROSS JOIN LATERAL (VALUES (r.project), ('00000000-0000-0000-0000-000000000000')) AS p (id)
    CROSS JOIN LATERAL (VALUES (r.queue), ('00000000-0000-0000-0000-000000000000')) AS q (id)
    CROSS JOIN LATERAL (VALUES (r.used_by), ('')) AS u (name)
    CROSS JOIN LATERAL (
      SELECT i.id FROM budget i
      WHERE i.tenant = r.tenant
        AND coalesce(i.project, '00000000-0000-0000-0000-000000000000') = p.id
        AND coalesce(i.queue, '00000000-0000-0000-0000-000000000000') = q.id
        AND coalesce(i.used_by, '') = u.name
      OFFSET 0) AS x))
ORDER BY b.id
FOR NO KEY UPDATE
