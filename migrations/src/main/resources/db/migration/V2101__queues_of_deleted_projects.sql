SET LOCAL ROLE fairlead_loops;
SET LOCAL lock_timeout = '5s';

-- A queue named projects that were deleted, and a later project of such a name would have got the queue.
UPDATE quota_node q
SET version = version + 1,
    queue_projects = (
      SELECT coalesce(json_agg(named.name ORDER BY named.name), '[]')
      FROM json_array_elements_text(CAST(q.queue_projects AS json)) AS named (name)
      WHERE EXISTS (SELECT FROM project p WHERE p.tenant = q.tenant AND p.name = named.name))
WHERE q.queue_projects IS NOT NULL
  AND EXISTS (
    SELECT FROM json_array_elements_text(CAST(q.queue_projects AS json)) AS named (name)
    WHERE NOT EXISTS (SELECT FROM project p WHERE p.tenant = q.tenant AND p.name = named.name));
