SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

INSERT INTO installation (id, incarnation) VALUES (gen_random_uuid(), 1);

-- Row-level security is forced, so the owner of the tables cannot insert rows of a tenant.
SET LOCAL ROLE fairlead_loops;
INSERT INTO quota_node (id, tenant, name, parent, depth, weight, preempt_within, preempt_reclaim, preempt_fair_share,
                        limit_count, version)
  VALUES ('00000000-0000-0000-0000-000000000000', NULL, 'fleet', NULL, 0, 1000, 'NEVER', 'NEVER', false, 0, 1);
INSERT INTO tenant (id, name, version)
  VALUES ('01900000-0000-7000-8000-000000000001', 'default', 1);
INSERT INTO quota_node (id, tenant, name, parent, depth, weight, preempt_within, preempt_reclaim, preempt_fair_share,
                        queue_order, queue_state, limit_count, version)
  VALUES ('01900000-0000-7000-8000-000000000002', '01900000-0000-7000-8000-000000000001', 'root', NULL, 0, 1000,
          'NEVER', 'NEVER', false, NULL, NULL, 0, 1),
         ('01900000-0000-7000-8000-000000000003', '01900000-0000-7000-8000-000000000001', 'default',
          '01900000-0000-7000-8000-000000000002', 1, 1000, 'NEVER', 'NEVER', false, 'BEST_EFFORT_FIFO', 'ACTIVE', 0, 1);

-- The same name as Project.newNamespace.
INSERT INTO project (id, tenant, name, default_queue, version, namespace)
  SELECT p.id, t.id, p.name, '01900000-0000-7000-8000-000000000003', 1,
         left('fairlead-' || t.name || '-' || p.name, 52) || '-'
           || left(encode(sha256(convert_to(i.id || '/' || p.id, 'UTF8')), 'hex'), 10)
  FROM (VALUES ('01900000-0000-7000-8000-000000000004'::uuid, 'default')) AS p (id, name), tenant t, installation i;
