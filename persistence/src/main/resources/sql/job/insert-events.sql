INSERT INTO event (incarnation, type, subject_kind, subject, version, actor, tenant, project, data)
SELECT i.incarnation, r.type, r.subject_kind, r.subject, r.version, r.actor, r.tenant, r.project, r.data
FROM installation i,
     json_to_recordset(CAST(:rows AS json)) AS r (
       ord int, type text, subject_kind text, subject uuid, version bigint, actor text, tenant uuid, project uuid, data jsonb)
ORDER BY r.ord
