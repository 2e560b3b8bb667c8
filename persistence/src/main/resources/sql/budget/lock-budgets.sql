SELECT b.id
FROM budget b
WHERE b.tenant IN (SELECT unnest(CAST(:tenants AS uuid[])))
  AND (b.id IN (SELECT c.budget FROM budget_charge c
                WHERE c.attempt IN (SELECT unnest(CAST(:attempts AS uuid[]))))
       OR EXISTS (
         SELECT FROM json_to_recordset(CAST(:jobs AS json)) AS r (tenant uuid, project uuid, queue uuid, used_by text)
         WHERE r.tenant = b.tenant
           AND (b.project IS NULL OR b.project = r.project)
           AND (b.queue IS NULL OR b.queue = r.queue)
           AND (b.used_by IS NULL OR b.used_by = r.used_by)))
ORDER BY b.id
FOR NO KEY UPDATE
