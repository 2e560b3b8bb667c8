SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Nodes that are kept for a project, or for maintenance, from one time to another. It never changes, and outlives its nodes
-- and its project, so nothing is referred to. One of maintenance is of no tenant.
CREATE TABLE booking (
  id      uuid        PRIMARY KEY,
  tenant  uuid,
  project uuid,
  starts  timestamptz NOT NULL,
  ends    timestamptz NOT NULL CHECK (ends > starts),
  content jsonb       NOT NULL
);
CREATE INDEX booking_ends ON booking (ends);
CREATE INDEX booking_tenant ON booking (tenant, project) WHERE tenant IS NOT NULL;

-- A span of node ids, here always of one: spans have an operator class of GiST in every installation, a plain id only with an
-- extension.
CREATE TYPE node_span AS RANGE (subtype = uuid);

CREATE TABLE booking_node (
  booking uuid      NOT NULL REFERENCES booking,
  node    uuid      NOT NULL,
  during  tstzrange NOT NULL,
  PRIMARY KEY (booking, node),
  -- No node is booked twice at one time.
  CONSTRAINT booking_node_once EXCLUDE USING gist (node_span(node, node, '[]') WITH &&, during WITH &&)
);
-- Each placement asks for its nodes.
CREATE INDEX booking_node_of ON booking_node (node);

ALTER TABLE booking ENABLE ROW LEVEL SECURITY;
ALTER TABLE booking FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON booking TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON booking TO fairlead_loops USING (true);
GRANT SELECT ON booking TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON booking, booking_node TO fairlead_loops;
