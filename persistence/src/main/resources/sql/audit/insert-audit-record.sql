INSERT INTO audit_record (tenant, actor, administrator, operation, subject, allowed, detail)
VALUES (:tenant, :actor, :administrator, :operation, :subject, :allowed, CAST(:detail AS jsonb))
