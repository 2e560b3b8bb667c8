SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- How often attempts of jobs of a queue and priority started on a flavor, and had to leave by each right: one row a day of UTC.
-- Starts have no right. Written in the transaction of the plan; rows go after two months.
CREATE TABLE preemption_count (
  queue      uuid   NOT NULL,
  priority   int    NOT NULL,
  day        date   NOT NULL,
  model      text   COLLATE "C" NOT NULL,
  capacity   text   COLLATE "C" NOT NULL,
  evicted_by text   COLLATE "C" NOT NULL,
  tenant     uuid   NOT NULL,
  times      bigint NOT NULL CHECK (times > 0),
  PRIMARY KEY (queue, priority, day, model, capacity, evicted_by)
) WITH (fillfactor = 80);
CREATE INDEX preemption_count_day ON preemption_count (day);

ALTER TABLE preemption_count ENABLE ROW LEVEL SECURITY;
ALTER TABLE preemption_count FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON preemption_count TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON preemption_count TO fairlead_loops USING (true);
GRANT SELECT ON preemption_count TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON preemption_count TO fairlead_loops;
