INSERT INTO audit_record (tenant, actor, administrator, operation, subject, allowed, detail, count, request_id, address)
SELECT tenant, actor, administrator, operation, subject, allowed, detail, count, request_id, address
FROM json_to_recordset(CAST(:entries AS json)) AS entry(tenant uuid, actor text, administrator boolean, operation text,
                                                        subject text, allowed boolean, detail jsonb, count integer,
                                                        request_id text, address text)
