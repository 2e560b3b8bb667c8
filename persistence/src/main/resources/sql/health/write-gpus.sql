INSERT INTO gpu_device (uuid, serial, cluster, node, node_name, source, first_seen, last_seen, missing_since)
SELECT uuid, serial, cluster, node, node_name, source, first_seen, last_seen, missing_since
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  uuid text, serial text, cluster uuid, node uuid, node_name text, source text, first_seen timestamptz, last_seen timestamptz,
  missing_since timestamptz)
ORDER BY uuid
ON CONFLICT (uuid) DO UPDATE
SET serial = excluded.serial, cluster = excluded.cluster, node = excluded.node, node_name = excluded.node_name,
    source = excluded.source, last_seen = excluded.last_seen, missing_since = excluded.missing_since
WHERE excluded.last_seen >= gpu_device.last_seen
