SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

ALTER TABLE quota_node ADD COLUMN usage_half_life_millis bigint;

-- What ended jobs used, for the nodes of the quota tree that weigh it in, decayed up to a time. A row is added in the
-- transaction of each end, so that no end waits for another's; they are added up from time to time.
CREATE TABLE use_history (
  node          uuid        NOT NULL REFERENCES quota_node ON DELETE CASCADE,
  tenant        uuid        NOT NULL,
  queue         uuid        NOT NULL REFERENCES quota_node ON DELETE CASCADE,
  used_by       text        NOT NULL,
  milli_seconds bigint      NOT NULL CHECK (milli_seconds >= 0),
  at            timestamptz NOT NULL
);
CREATE INDEX use_history_groups ON use_history (node, queue, used_by);
CREATE INDEX use_history_queues ON use_history (queue);

ALTER TABLE use_history ENABLE ROW LEVEL SECURITY;
ALTER TABLE use_history FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON use_history TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON use_history TO fairlead_loops USING (true);
GRANT SELECT, INSERT ON use_history TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON use_history TO fairlead_loops;
