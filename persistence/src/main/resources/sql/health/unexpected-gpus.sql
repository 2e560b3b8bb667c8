SELECT r.uuid
FROM json_to_recordset(CAST(:rows AS json)) AS r (uuid text, serial text, node uuid)
LEFT JOIN gpu_device d ON d.uuid = r.uuid
WHERE d.node IS DISTINCT FROM r.node OR d.missing_since IS NOT NULL
   OR (r.serial IS NOT NULL AND d.serial IS DISTINCT FROM r.serial)
