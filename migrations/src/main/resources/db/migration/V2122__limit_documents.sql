SET LOCAL lock_timeout = '5s';
-- A row that another process is writing has to be among the copied rows.
SET LOCAL ROLE fairlead_owner;
LOCK TABLE tenant_limits IN ACCESS EXCLUSIVE MODE;

-- Limits become documents, named by the id of their tenant or project as the API writes it: a prefix and 26 characters of base32.
SET LOCAL ROLE fairlead_loops;
INSERT INTO config_document (kind, name, tenant, project, version, body)
SELECT 'LIMITS',
  CASE WHEN l.project IS NULL THEN 'ten_' ELSE 'prj_' END || (
    SELECT string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + substring(bits FROM 1 + 5 * digit FOR 5)::int, 1), '' ORDER BY digit)
    FROM (SELECT B'00' || ('x' || replace(l.place::text, '-', ''))::bit(128) AS bits) AS id, generate_series(0, 25) AS digit),
  l.tenant, l.project, l.version,
  jsonb_build_object('project', p.name, 'values', jsonb_strip_nulls(jsonb_build_object(
    'ACTIVE_JOBS', l.active_jobs, 'PROJECTS', l.projects, 'REQUESTS_PER_MINUTE', l.requests_per_minute, 'SPEC_BYTES', l.spec_bytes,
    'ARRAY_ELEMENTS', l.array_elements, 'MAX_RUNTIME', l.max_runtime_seconds, 'DECISION_DAYS', l.decision_days)))
FROM tenant_limits l LEFT JOIN project p ON p.id = l.project;

SET LOCAL ROLE fairlead_owner;
-- squawk-ignore ban-drop-table
DROP TABLE tenant_limits;
