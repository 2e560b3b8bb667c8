INSERT INTO audit_record (tenant, actor, administrator, operation, subject, allowed, detail)
SELECT tenant, actor, administrator, operation, subject, allowed, detail
FROM json_to_recordset(CAST(:entries AS json)) AS entry(tenant uuid, actor text, administrator boolean, operation text,
                                                        subject text, allowed boolean, detail jsonb)
