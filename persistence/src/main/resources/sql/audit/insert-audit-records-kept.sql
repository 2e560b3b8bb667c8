WITH entry AS MATERIALIZED (
  SELECT nextval('audit_seq') AS seq, e.*
  FROM json_to_recordset(CAST(:entries AS json)) AS e(tenant uuid, actor text, administrator boolean, operation text,
                                                      subject text, allowed boolean, detail jsonb, count integer,
                                                      request_id text, address text, kind text, name text,
                                                      before text, after text)
), kept AS (
  INSERT INTO config_version (tenant, version, kind, name, actor, operation, reason, reverts, before, after)
  SELECT tenant, seq, kind, name, actor, operation, detail ->> 'reason', CAST(detail ->> 'reverts' AS bigint), before, after
  FROM entry WHERE kind IS NOT NULL
)
INSERT INTO audit_record (seq, tenant, actor, administrator, operation, subject, allowed, detail, count, request_id, address)
SELECT seq, tenant, actor, administrator, operation, subject, allowed, detail, count, request_id, address FROM entry
