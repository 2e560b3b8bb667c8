SELECT b.id, b.tenant, b.project, b.queue, b.used_by, b.label_key, b.label_value, b.name, b.amount, b.currency, b.money, b.period, b.mode, b.on_exhausted, CAST(b.alerts AS text) AS alerts,
       CAST(b.grants AS text) AS grants, b.version
FROM budget b
WHERE (:all OR b.id IN (SELECT unnest(CAST(:ids AS uuid[]))))
ORDER BY b.id
