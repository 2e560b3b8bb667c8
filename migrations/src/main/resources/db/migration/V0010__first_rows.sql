SET LOCAL ROLE fairlead_owner;
INSERT INTO installation (id, incarnation) VALUES (gen_random_uuid(), 1);

SET LOCAL ROLE fairlead_loops;
INSERT INTO tenant (id, name, version)
  VALUES ('01900000-0000-7000-8000-000000000001', 'default', 1);
INSERT INTO quota_node (id, tenant, name, parent, depth, weight, preempt_within, preempt_reclaim, preempt_fair_share,
                        queue_order, queue_state, version)
  VALUES ('01900000-0000-7000-8000-000000000002', '01900000-0000-7000-8000-000000000001', 'root', NULL, 0, 1000,
          'NEVER', 'NEVER', false, NULL, NULL, 1),
         ('01900000-0000-7000-8000-000000000003', '01900000-0000-7000-8000-000000000001', 'default',
          '01900000-0000-7000-8000-000000000002', 1, 1000, 'NEVER', 'NEVER', false, 'BEST_EFFORT_FIFO', 'ACTIVE', 1);
INSERT INTO project (id, tenant, name, default_queue, version)
  VALUES ('01900000-0000-7000-8000-000000000004', '01900000-0000-7000-8000-000000000001', 'default',
          '01900000-0000-7000-8000-000000000003', 1);
