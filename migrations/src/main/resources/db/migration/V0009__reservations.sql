SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Capacity that is reserved for a pending element. Only the scheduler writes it, under its fence.
CREATE TABLE reservation (
  job        uuid        NOT NULL REFERENCES job ON DELETE CASCADE,
  element    int         NOT NULL CHECK (element >= 0),
  tenant     uuid        NOT NULL,
  kind       text        NOT NULL CHECK (kind IN ('PREEMPTION', 'BACKFILL', 'DRAIN', 'FAULT')),
  cluster    uuid        NOT NULL,
  members    jsonb       NOT NULL,
  victims    jsonb       NOT NULL,
  created_at timestamptz NOT NULL,
  starts_at  timestamptz,
  expires_at timestamptz NOT NULL,
  -- Whether the nodes are tested before the job starts on them.
  preflight  boolean     NOT NULL DEFAULT false,
  PRIMARY KEY (job, element)
);
ALTER TABLE reservation ENABLE ROW LEVEL SECURITY;
ALTER TABLE reservation FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON reservation TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON reservation TO fairlead_loops USING (true);
GRANT SELECT ON reservation TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON reservation TO fairlead_loops;

-- Nodes that are reserved for a project, or for maintenance without a tenant, during a period. A row never changes and
-- outlives its nodes and its project, so it has no foreign keys. Names of constraints start with booking.
CREATE TABLE advance_reservation (
  id      uuid        CONSTRAINT booking_id_not_null NOT NULL CONSTRAINT booking_pkey PRIMARY KEY,
  tenant  uuid,
  project uuid,
  starts  timestamptz CONSTRAINT booking_starts_not_null NOT NULL,
  ends    timestamptz CONSTRAINT booking_ends_not_null NOT NULL,
  content jsonb       CONSTRAINT booking_content_not_null NOT NULL,
  CONSTRAINT booking_check CHECK (ends > starts)
);
CREATE INDEX advance_reservation_ends ON advance_reservation (ends);
CREATE INDEX advance_reservation_tenant ON advance_reservation (tenant, project) WHERE tenant IS NOT NULL;
ALTER TABLE advance_reservation ENABLE ROW LEVEL SECURITY;
ALTER TABLE advance_reservation FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON advance_reservation TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON advance_reservation TO fairlead_loops USING (true);
GRANT SELECT ON advance_reservation TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON advance_reservation TO fairlead_loops;

-- A range of node ids, here always of one: GiST has an operator class for ranges in every installation, and for a plain uuid
-- only with an extension.
CREATE TYPE node_span AS RANGE (subtype = uuid);

CREATE TABLE advance_reservation_node (
  advance_reservation uuid      CONSTRAINT booking_node_booking_not_null NOT NULL,
  node                uuid      CONSTRAINT booking_node_node_not_null NOT NULL,
  during              tstzrange CONSTRAINT booking_node_during_not_null NOT NULL,
  CONSTRAINT booking_node_pkey PRIMARY KEY (advance_reservation, node),
  CONSTRAINT booking_node_booking_fkey FOREIGN KEY (advance_reservation) REFERENCES advance_reservation,
  -- No node is reserved twice at the same time.
  CONSTRAINT advance_reservation_node_once EXCLUDE USING gist (node_span(node, node, '[]') WITH &&, during WITH &&)
);
-- Each placement reads the reservations of its nodes.
CREATE INDEX advance_reservation_node_of ON advance_reservation_node (node);
GRANT SELECT, INSERT, DELETE ON advance_reservation_node TO fairlead_loops;
