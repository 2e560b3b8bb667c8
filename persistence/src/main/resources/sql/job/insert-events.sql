-- An event follows the stored events of its subject: this transaction may have a lower number than one that locked the subject's row
-- first. The higher number is below the readers' limit only after this transaction has ended too.
INSERT INTO event (incarnation, xid, type, subject_kind, subject, version, actor, tenant, project, data, context)
SELECT i.incarnation,
       greatest(pg_current_xact_id(),
                (SELECT e.xid FROM event e
                 WHERE r.version > 1 AND e.subject = r.subject AND e.incarnation = i.incarnation
                   AND e.at > now() - interval '1 day'
                 ORDER BY e.xid DESC
                 LIMIT 1)),
       r.type, r.subject_kind, r.subject, r.version, r.actor, r.tenant, r.project, r.data,
       r.context || jsonb_build_object('project', (SELECT p.name FROM project p WHERE p.id = r.project),
                                       'cluster', (SELECT c.name FROM cluster c WHERE c.id = r.cluster))
FROM installation i,
     json_to_recordset(CAST(:rows AS json)) AS r (
       ord int, type text, subject_kind text, subject uuid, version bigint, actor text, tenant uuid, project uuid, data jsonb,
       cluster uuid, context jsonb)
ORDER BY r.ord
