SELECT uuid, serial, cluster, node, node_name, source, first_seen, last_seen, missing_since
FROM gpu_device
WHERE node IN (SELECT unnest(:nodes))
