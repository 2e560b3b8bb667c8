-- Rows that the states of GPUs depend on and that no change note covers: clusters, and reservations of waiting jobs. The result includes
-- the time of the last sample of any process.
SELECT look_ms, md5(concat(
  (SELECT string_agg(concat_ws(' ', c.id, c.state, c.capacity_type), ',' ORDER BY c.id) FROM cluster c), ';',
  (SELECT string_agg(CAST(r.members AS text), ',' ORDER BY r.job, r.element) FROM reservation r))) AS hash
FROM usage_watermark
