SET LOCAL lock_timeout = '5s';
-- A row that another process is writing has to be among the copied rows.
SET LOCAL ROLE fairlead_owner;
LOCK TABLE price IN ACCESS EXCLUSIVE MODE;

-- Prices become documents of the platform, named by their id as the API writes it: a prefix and 26 characters of base32.
SET LOCAL ROLE fairlead_loops;
INSERT INTO config_document (kind, name, version, body)
SELECT 'PRICE',
  'pri_' || (
    SELECT string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + substring(bits FROM 1 + 5 * digit FOR 5)::int, 1), '' ORDER BY digit)
    FROM (SELECT B'00' || ('x' || replace(p.id::text, '-', ''))::bit(128) AS bits) AS id, generate_series(0, 25) AS digit),
  1,
  jsonb_build_object(
    'id', jsonb_build_object('value', p.id),
    'scope', jsonb_build_object(
      'cluster', CASE WHEN p.cluster IS NOT NULL THEN jsonb_build_object('value', p.cluster) END,
      'pool', p.pool, 'model', p.model, 'capacityType', p.capacity_type,
      'storage', CASE WHEN p.storage THEN jsonb_build_object('storageClass', p.storage_class) END),
    'perUnit', jsonb_build_object('micros', p.micros, 'currency', p.currency),
    'validity', jsonb_build_object(
      'from', to_char(p.valid_from AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
      'to', to_char(p.valid_to AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')),
    'replaces', CASE WHEN p.replaces IS NOT NULL THEN jsonb_build_object('value', p.replaces) END,
    'commitment', CASE WHEN p.committed_gpus IS NOT NULL
      THEN jsonb_build_object('gpus', p.committed_gpus, 'micros', p.committed_micros) END,
    'recordedAt', to_char(p.recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
FROM price p;

SET LOCAL ROLE fairlead_owner;
-- An id names one price for ever, because bills refer to it: no role of the service updates or deletes the document of a price.
CREATE POLICY prices_are_not_updated ON config_document AS RESTRICTIVE FOR UPDATE USING (kind <> 'PRICE');
CREATE POLICY prices_are_not_deleted ON config_document AS RESTRICTIVE FOR DELETE USING (kind <> 'PRICE');
-- squawk-ignore ban-drop-table
DROP TABLE price;
