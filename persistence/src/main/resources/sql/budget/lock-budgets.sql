-- Each part of a scope equals that of the job, or is null: eight lookups in the index budget_of_whole_scope, regardless of the number of
-- budgets, and one in budget_of_label for each label of the job.
SELECT b.id
FROM budget b
WHERE b.id = ANY (ARRAY(
    SELECT c.budget FROM budget_charge c WHERE c.attempt IN (SELECT unnest(CAST(:attempts AS uuid[])))
    UNION
    SELECT x.id
    FROM json_to_recordset(CAST(:jobs AS json)) AS r (tenant uuid, project uuid, queue uuid, used_by text, labels jsonb)
    CROSS JOIN LATERAL (VALUES (r.project), ('00000000-0000-0000-0000-000000000000')) AS p (id)
    CROSS JOIN LATERAL (VALUES (r.queue), ('00000000-0000-0000-0000-000000000000')) AS q (id)
    CROSS JOIN LATERAL (VALUES (r.used_by), ('')) AS u (name)
    CROSS JOIN LATERAL (
      SELECT i.id FROM budget i
      WHERE i.tenant = r.tenant
        AND coalesce(i.project, '00000000-0000-0000-0000-000000000000') = p.id
        AND coalesce(i.queue, '00000000-0000-0000-0000-000000000000') = q.id
        AND coalesce(i.used_by, '') = u.name
        AND i.label_key IS NULL
      OFFSET 0) AS x
    UNION
    SELECT x.id
    FROM json_to_recordset(CAST(:jobs AS json)) AS r (tenant uuid, project uuid, queue uuid, used_by text, labels jsonb)
    CROSS JOIN LATERAL jsonb_each_text(r.labels) AS l (key, value)
    CROSS JOIN LATERAL (
      SELECT i.id FROM budget i
      WHERE i.tenant = r.tenant AND i.label_key = l.key AND i.label_value = l.value
        AND coalesce(i.project, r.project) = r.project
        AND coalesce(i.queue, r.queue) = r.queue
        AND coalesce(i.used_by, r.used_by) = r.used_by
      OFFSET 0) AS x))
ORDER BY b.id
FOR NO KEY UPDATE
