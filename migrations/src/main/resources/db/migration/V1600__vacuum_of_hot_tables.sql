SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Each life of a job changes its rows here many times. By the usual limit of cost a vacuum of them takes minutes beside a
-- few hundred lives a second, and their pages fill with dead rows meanwhile.
ALTER TABLE job SET (autovacuum_vacuum_cost_limit = 2000);
ALTER TABLE attempt SET (autovacuum_vacuum_cost_limit = 2000);
ALTER TABLE member SET (autovacuum_vacuum_cost_limit = 2000);
ALTER TABLE allocation SET (autovacuum_vacuum_cost_limit = 2000);
ALTER TABLE gpu_slot SET (autovacuum_vacuum_cost_limit = 2000);
