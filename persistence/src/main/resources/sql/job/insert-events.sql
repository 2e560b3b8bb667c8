-- An event gets a position after the stored events of its subject: the number of this transaction may be lower than that of a
-- transaction that locked the row of the subject before it. The higher number also stays above the limit of readers until this
-- transaction ends. The number is read once for each subject, because a step of a job may have several rows, and only from three days,
-- because each empty partition of a later day would cost an index scan.
WITH incoming AS MATERIALIZED (
  SELECT * FROM json_to_recordset(CAST(:rows AS json)) AS r (
    ord int, type text, subject_kind text, subject uuid, version bigint, actor text, tenant uuid, project uuid, data jsonb,
    more jsonb, cluster uuid, context jsonb)
), latest AS MATERIALIZED (
  SELECT s.subject,
         (SELECT e.xid FROM event e
          WHERE e.subject = s.subject AND e.incarnation = i.incarnation
            AND e.at > now() - interval '1 day' AND e.at < now() + interval '1 day'
          ORDER BY e.xid DESC
          LIMIT 1) AS xid
  FROM installation i, (SELECT DISTINCT subject FROM incoming WHERE version > 1) AS s
)
INSERT INTO event (incarnation, xid, type, subject_kind, subject, version, actor, tenant, project, data, more, context)
SELECT i.incarnation, greatest(pg_current_xact_id(), s.xid), r.type, r.subject_kind, r.subject, r.version, r.actor, r.tenant,
       r.project, r.data, r.more, r.context || jsonb_build_array(p.name, c.name)
FROM incoming r
CROSS JOIN installation i
LEFT JOIN latest s ON s.subject = r.subject
LEFT JOIN project p ON p.id = r.project
LEFT JOIN cluster c ON c.id = r.cluster
ORDER BY r.ord
