INSERT INTO usage_label (tenant, from_ms, keys, named_by)
VALUES (:tenant, :from, CAST(:keys AS text[]), :by)
ON CONFLICT (tenant, from_ms) DO UPDATE SET keys = excluded.keys, named_by = excluded.named_by
